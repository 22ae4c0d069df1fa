//! The rights that the broker grants us: to publish requests, and to read what is published under the prefix.
//!
//! A broker may silently drop what its ACL denies (MQTT 3.1.1, section 3.3.5). Then a gateway seems to be
//! silent. But we have also subscribed to our own requests. If one comes back, we have both rights.

use super::house::ExaminedHouse;
use crate::gateway::Trouble;
use crate::gateway::protocol::topics::{DEFAULT_NAME, REQUESTS};
use crate::home::{bounds, text};
use crate::mcp::wording;

impl ExaminedHouse {
    /// Sends a request to each gateway that did not answer, or to the default gateway if no gateway is known.
    /// The listener records which requests come back.
    pub(super) async fn check_rights(&self) {
        let names = self.gateways.with_view(|view| {
            let mut names: Vec<String> = view
                .gateways
                .iter()
                .filter_map(|gateway| match &gateway.trouble {
                    Some(Trouble::GatewaySilent { gateway, .. }) => Some(gateway.clone()),
                    _ => None,
                })
                .collect();
            let unconfirmed = self.gateways.unconfirmed().into_iter().map(|(name, _)| name);
            // The report names at most `CHOICES` gateways.
            names.extend(unconfirmed.take(bounds::CHOICES));
            if names.is_empty() && view.gateways.is_empty() {
                names.push(DEFAULT_NAME.to_owned());
            }
            names
        });
        if !names.is_empty() {
            self.listener.send_requests(&names).await;
        }
    }

    /// Describes a trouble. If a missing right causes the trouble, describes that right instead.
    pub(super) fn describe(&self, trouble: &Trouble) -> String {
        let missing = match trouble {
            Trouble::GatewaySilent { gateway, .. } => self.missing_right(gateway),
            Trouble::NoGateway { .. } => self.missing_right(DEFAULT_NAME),
            Trouble::OnlyUnconfirmed { gateways } => {
                let gateways = gateways.iter().take(bounds::CHOICES);
                let missing: Option<Vec<_>> =
                    gateways.map(|name| self.missing_right(name)).collect();
                missing.and_then(|sentences| sentences.into_iter().next())
            }
            _ => None,
        };
        missing.unwrap_or_else(|| wording::describe_trouble(trouble))
    }

    /// Describes the right that we lack. If our request to this gateway came back, we lack none, so returns
    /// `None`.
    pub(super) fn missing_right(&self, gateway: &str) -> Option<String> {
        let seen = self.listener.traffic();
        if self.listener.has_returned(&seen, gateway) {
            return None;
        }
        let prefix = text::name(&self.prefix);
        let topic = self.listener.request_to(&text::name(gateway));
        let why = if seen.has_refusal {
            format!(
                "The broker refuses a subscription under {prefix}: the MQTT user is not allowed to \
                 read {prefix}/#. Allow that"
            )
        } else if seen.has_message {
            format!(
                "Messages under {prefix} arrive, but a request to the gateway {} does not come back: the \
                 MQTT user is not allowed to publish to {topic}. Allow the user to do so, and to read all of \
                 {prefix}/#,",
                text::name(gateway)
            )
        } else {
            format!(
                "Nothing arrives under {prefix}, not even our own request: the MQTT user either is not \
                 allowed to read {prefix}/# or is not allowed to publish to {topic}. Allow both"
            )
        };
        Some(format!(
            "{why} in the broker's ACL. For Mosquitto, the lines are \"topic read {prefix}/#\" and \"topic write \
             {prefix}/_CLIENTS/+/api/REQUEST/set\", under this user, the second one for each REQUEST of {REQUESTS}."
        ))
    }
}
