//! The checks of the house behind the broker: its gateways, drivers and devices, and the changes that arrive.

use tokio::time::{Duration, Instant};

use super::owner::describe_unmatched;
use super::report::Finding;
use super::shell::PasteShell;
use super::traffic::TrafficListener;
use crate::gateway::{Gateways, Need, Trouble, View};
use crate::home::{bounds, text};
use crate::mcp::entry::count_dead;
use crate::mcp::list::require_known_house;
use crate::mcp::wording::{self, span};

/// The maximum time to listen for a live message.
const LISTEN_TIME: Duration = Duration::from_secs(5);

/// The maximum time between a value and its event. zwave-js-ui publishes them together.
const MAX_EVENT_DELAY: Duration = Duration::from_secs(1);

/// The house as the server would see it.
pub struct ExaminedHouse {
    /// The prefix of every topic.
    pub prefix: String,
    /// True if the settings name the gateways. Then none of them may be missing.
    pub names_gateways: bool,
    /// True if the settings hide devices.
    pub hides_devices: bool,
    /// The gateways of the house.
    pub gateways: Gateways,
    /// Records what arrives from the broker.
    pub listener: TrafficListener,
    /// The deadline for the gateways to be found and to answer.
    pub deadline: Instant,
}

impl ExaminedHouse {
    async fn settle(&self) {
        self.gateways.settle(Need::List, Instant::now(), self.deadline).await;
    }

    /// Checks that a zwave-js-ui publishes under the prefix.
    pub async fn check_prefix(&self) -> Finding<()> {
        tokio::select! {
            _ = self.listener.wait_until(self.deadline, |seen| seen.has_gateway) => {}
            () = self.settle() => {}
        }
        if self.listener.traffic().has_gateway {
            return Ok((format!("a zwave-js-ui publishes under {}", self.prefix), ()));
        }
        self.check_rights().await;
        let why = self.gateways.with_view(|view| {
            let gateway_trouble = view.gateways.iter().find_map(|gateway| gateway.trouble.as_ref());
            let no_gateway = Trouble::NoGateway {
                prefix: self.prefix.clone(),
            };
            self.describe(view.trouble.as_ref().or(gateway_trouble).unwrap_or(&no_gateway))
        });
        Err(self.add_other_prefixes(why).await)
    }

    /// Adds the other prefixes under which a gateway is online to the description of a failure.
    async fn add_other_prefixes(&self, mut why: String) -> String {
        for prefix in self.listener.find_other_prefixes().await {
            let prefix = text::name(&prefix);
            why.push_str(&format!(
                " A gateway is online under the prefix \"{prefix}\": set --prefix (MQTT_TOPIC_PREFIX) to that."
            ));
        }
        why
    }

    /// Checks that gateways are connected and answer. If the settings name the gateways, each of them must
    /// do so. If not, one is enough. Returns hints about the gateways that are not connected or do not
    /// answer.
    pub async fn check_gateways(&self) -> Finding<Vec<String>> {
        self.settle().await;
        self.gateways.settle_unconfirmed(self.deadline).await;
        self.check_rights().await;
        // A gateway answers even if its driver is not ready.
        let is_away = |trouble: &Trouble| !matches!(trouble, Trouble::DriverNotReady { .. });
        let found = self.gateways.with_view(|view| {
            let mut hints = self.check_troubles(view, is_away, is_away).map_err(|why| {
                let hint = self.explain_wildcards().filter(|_| view.gateways.is_empty());
                hint.map_or(why.clone(), |hint| format!("{why} {hint}"))
            })?;
            let present = view.gateways.iter().filter(|gateway| {
                let trouble = gateway.trouble.as_ref();
                !trouble.is_some_and(is_away)
            });
            hints.extend(self.describe_unconfirmed());
            let names: Vec<String> =
                present.map(|gateway| text::name(gateway.name.as_str())).collect();
            Ok((names.join(", "), hints))
        });
        match found {
            // Another prefix may have been in use before.
            Err(why) => Err(self.add_other_prefixes(why).await),
            found => found,
        }
    }

    /// Describes the unconfirmed gateways, and says how to clear their retained statuses.
    fn describe_unconfirmed(&self) -> Vec<String> {
        let sentences = self.gateways.unconfirmed().into_iter().map(|(name, online)| {
            if online && let Some(missing) = self.missing_right(&name) {
                return missing;
            }
            let shown = text::name(&name);
            // The name comes from a message, and may contain characters that the shell interprets.
            let topic = format!("{}/_CLIENTS/ZWAVE_GATEWAY-{shown}/status", self.prefix);
            let topic = PasteShell::OF_THIS_SYSTEM.quote(&topic);
            let clear = format!("mosquitto_pub -r -n -t {topic}");
            if online {
                format!(
                    "There is a retained status of the gateway {shown}, but no such gateway answers. \
                     To clear the status: {clear}"
                )
            } else {
                format!(
                    "The Z-Wave gateway {shown} is offline. If it is gone for good, clear its status: \
                     {clear}"
                )
            }
        });
        bounds::shorten_list(sentences.collect(), bounds::CHOICES)
    }

    /// Checks that the gateways' drivers run. If the settings name the gateways, each driver must run. If
    /// not, one is enough. Returns hints about the drivers that do not run.
    pub fn check_drivers(&self) -> Finding<Vec<String>> {
        let is_stopped = |trouble: &Trouble| matches!(trouble, Trouble::DriverNotReady { .. });
        self.gateways.with_view(|view| {
            let hints = self.check_troubles(view, is_stopped, |_| true)?;
            // Only a running driver lets us read nodes.
            if view.gateways.iter().any(|gateway| gateway.was_read) {
                Ok(("ready".to_owned(), hints))
            } else {
                Err(wording::STILL_READING.to_owned())
            }
        })
    }

    /// Describes the gateways' troubles for which `is_wrong` holds. These are only hints, because gateways in
    /// trouble may have been removed for good.
    ///
    /// # Errors
    /// Fails with the trouble of the connection, if there is one. Fails with the descriptions, if there are
    /// any, in two cases:
    /// - The settings name the gateways.
    /// - Every gateway has a trouble for which `is_away` holds.
    fn check_troubles(
        &self,
        view: &View,
        is_wrong: impl Fn(&Trouble) -> bool,
        is_away: impl Fn(&Trouble) -> bool,
    ) -> Result<Vec<String>, String> {
        if let Some(trouble) = &view.trouble {
            return Err(self.describe(trouble));
        }
        let troubles = || view.gateways.iter().filter_map(|gateway| gateway.trouble.as_ref());
        let descriptions: Vec<String> = troubles()
            .filter(|trouble| is_wrong(trouble))
            .map(|trouble| self.describe(trouble))
            .collect();
        let away_count = troubles().filter(|trouble| is_away(trouble)).count();
        let all_are_away = away_count == view.gateways.len();
        if !descriptions.is_empty() && (self.names_gateways || all_are_away) {
            return Err(descriptions.join(" "));
        }
        Ok(descriptions)
    }

    /// Checks that there is a device to list.
    pub fn check_devices(&self) -> Finding<()> {
        let (count, dead_count) = self.gateways.with_view(|view| {
            require_known_house(view)?;
            let devices: Vec<_> = view.house.devices().iter().collect();
            Ok::<_, String>((devices.len(), count_dead(view, &devices)))
        })?;
        if count == 0 {
            let advice = if self.hides_devices {
                "Check --expose and --hide, and that devices are included in zwave-js-ui."
            } else {
                "Include devices in zwave-js-ui, and wait until their interviews are complete."
            };
            let why = vec![format!("There is no device to list. {advice}")];
            let unmatched = self.gateways.with_view(describe_unmatched);
            return Err([why, unmatched].concat().join(" "));
        }
        let mut text = wording::count_devices(count, false);
        if dead_count > 0 {
            text.push_str(&format!(", {dead_count} of them not responding"));
        }
        if self.hides_devices {
            text.push_str(", with --expose and --hide applied");
        }
        Ok((text, ()))
    }

    /// Listens for changes. A lost connection is a failure, but a quiet house is not.
    pub async fn check_values(&self) -> Finding<()> {
        let deadline = Instant::now() + LISTEN_TIME;
        if self.listener.wait_until(deadline, |seen| seen.live.is_some()).await {
            let deadline = Instant::now() + MAX_EVENT_DELAY;
            self.listener.wait_until(deadline, |seen| seen.has_event).await;
        }
        if let Some(trouble) = self.gateways.with_view(|view| view.trouble.clone()) {
            return Err(wording::describe_trouble(&trouble));
        }
        let seen = self.listener.traffic();
        if seen.has_event {
            let text = "an event was heard live, so every change is known at once";
            return Ok((text.to_owned(), ()));
        }
        let what = match seen.live {
            Some(what) => format!("{what} was heard live, but no event"),
            None => format!("the house was quiet for {}", span(LISTEN_TIME)),
        };
        let time = self.describe_reading_time();
        let until = "until an event is heard, a command waits for the nodes to be read again";
        Ok((format!("{what}; {until}{time}"), ()))
    }

    /// Returns a clause with the time that is needed to read the nodes. It is empty if the time is unknown.
    fn describe_reading_time(&self) -> String {
        let took = self
            .gateways
            .with_view(|view| view.gateways.iter().filter_map(|gateway| gateway.fetch_time).max());
        let took = took.map(|took| took.as_millis().max(1));
        took.map(|took| format!(", which takes {took} ms here")).unwrap_or_default()
    }

    /// Returns advice if the broker delivers retained messages only for filters without wildcards.
    fn explain_wildcards(&self) -> Option<&'static str> {
        let seen = self.listener.traffic();
        (seen.has_retained && !seen.has_retained_by_wildcard).then_some(
            "Like RabbitMQ, this broker delivers retained messages only to subscriptions without \
             wildcards. Name the gateway with --gateway, so that it is found while it is quiet.",
        )
    }

    /// Returns advice if a request was answered twice. zwave-js-ui's subscriptions overlap, and a broker may
    /// deliver a message once for each of them (MQTT 3.1.1, section 3.3.5).
    fn explain_double_delivery(&self) -> Option<&'static str> {
        let is_double = |view: &View| view.gateways.iter().any(|gateway| gateway.executes_twice);
        self.gateways.with_view(is_double).then_some(
            "Each request reaches zwave-js-ui twice on this broker. So each command occupies the radio \
             twice as long, and a scene runs twice. Use a broker that delivers a message once, such as \
             Mosquitto.",
        )
    }

    /// Returns true if no live message has arrived. Then we can't tell whether zwave-js-ui sends events.
    pub fn was_quiet(&self) -> bool {
        self.listener.traffic().live.is_none()
    }

    /// Describes zwave-js-ui's setup, as far as the traffic shows it. Returns hints for a better setup.
    pub fn describe_settings(&self) -> (String, Vec<String>) {
        let seen = self.listener.traffic();
        let mut hints = Vec::new();
        let events = if seen.has_event {
            "events are on"
        } else if self.was_quiet() {
            hints.push(
                "The house was quiet, so doctor can't see yet whether zwave-js-ui sends events. Switch \
                 something by hand while doctor runs, or look in zwave-js-ui, under Settings → Gateway, \
                 whether \"Send Z-Wave events\" is on."
                    .to_owned(),
            );
            "events can't be seen yet"
        } else {
            hints.push(format!(
                "Recommended in zwave-js-ui: Settings → Gateway → Send Z-Wave events, so that new \
                 names, devices and values are known at once, and no command waits for the nodes to \
                 be read{}.",
                self.describe_reading_time()
            ));
            hints.push(
                "As long as events are off, set zwave-js-ui's log level (Settings → General) to \
                 \"warn\": at \"info\" it writes all nodes into its log each time they are read."
                    .to_owned(),
            );
            "events are off"
        };
        let retain = if seen.has_retained {
            "retain is on"
        } else {
            hints.push(
                "Recommended in zwave-js-ui: Settings → MQTT → Retain, so that the gateway is \
                 found at once, and an outage of the gateway is noticed."
                    .to_owned(),
            );
            "retain is off"
        };
        let broker_hints = [self.explain_wildcards(), self.explain_double_delivery()];
        hints.extend(broker_hints.into_iter().flatten().map(str::to_owned));
        hints.extend(self.gateways.with_view(describe_unmatched));
        (format!("{events}, {retain}"), hints)
    }
}
