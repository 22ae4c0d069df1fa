//! The checks of the house behind the broker: a gateway publishes, answers, and reports changes.

use tokio::time::{Duration, Instant};

use super::owner::word_unmatched;
use super::report::Finding;
use super::shell::PasteShell;
use super::traffic::{LiveTraffic, TrafficListener};
use crate::gateway::{Gateways, Need, Trouble, View};
use crate::home::{bounds, text};
use crate::mcp::entry::count_dead;
use crate::mcp::list::check_known_in_words;
use crate::mcp::wording::{self, span};

/// The time to listen for a message that nobody asked for.
const LISTEN: Duration = Duration::from_secs(5);

/// The maximum delay of an event after the value that it reports: both are published together.
const EVENT: Duration = Duration::from_secs(1);

/// The house as the server would see it.
pub struct ExaminedHouse {
    /// The prefix of every topic.
    pub prefix: String,
    /// True if gateways were named: then each of them has to be there.
    pub named: bool,
    /// True if the settings hide devices.
    pub limited: bool,
    /// The connection to the house.
    pub gateways: Gateways,
    /// The listener at the connection.
    pub listener: TrafficListener,
    /// The end of the time that the house has to show itself.
    pub limit: Instant,
}

impl ExaminedHouse {
    async fn settle(&self) {
        self.gateways.settle(Need::List, Instant::now(), self.limit).await;
    }

    /// Checks that a zwave-js-ui publishes under the prefix.
    pub async fn prefix(&self) -> Finding<()> {
        tokio::select! {
            _ = self.listener.wait_until(self.limit, |seen| seen.gateway) => {}
            () = self.settle() => {}
        }
        if self.listener.traffic().gateway {
            return Ok((format!("a zwave-js-ui publishes under {}", self.prefix), ()));
        }
        self.check_rights().await;
        let mut why = self.gateways.look(|view| {
            let of_one = view.gateways.iter().find_map(|gateway| gateway.trouble.as_ref());
            self.word(
                view.trouble.as_ref().or(of_one).unwrap_or(&Trouble::NoGateway {
                    prefix: self.prefix.clone(),
                }),
            )
        });
        for prefix in self.listener.find_other_prefixes().await {
            let prefix = text::name(&prefix);
            why.push_str(&format!(" There is one under \"{prefix}\"."));
        }
        Err(why)
    }

    /// Checks that the gateways that count are connected and answer; returns the troubles of others.
    pub async fn check_gateways(&self) -> Finding<Vec<String>> {
        self.settle().await;
        self.gateways.settle_rumours(self.limit).await;
        self.check_rights().await;
        let away = |trouble: &Trouble| !matches!(trouble, Trouble::DriverNotReady { .. });
        self.gateways.look(|view| {
            let mut others = self.check_troubles(view, away, away).map_err(|why| {
                let hint = self.explain_unread_names().filter(|_| view.gateways.is_empty());
                hint.map_or(why.clone(), |hint| format!("{why} {hint}"))
            })?;
            let there = view.gateways.iter().filter(|gateway| {
                let trouble = gateway.trouble.as_ref();
                !trouble.is_some_and(away)
            });
            others.extend(self.rumours());
            let names: Vec<String> =
                there.map(|gateway| text::name(gateway.name.as_str())).collect();
            Ok((names.join(", "), others))
        })
    }

    /// Names the statuses that a gateway left behind, and says how to clear them.
    fn rumours(&self) -> Vec<String> {
        let sentences = self.gateways.rumours().into_iter().map(|(name, online)| {
            if online && let Some(missing) = self.missing_right(&name) {
                return missing;
            }
            let shown = text::name(&name);
            // A topic from the wire goes into a line for a shell.
            let topic = format!("{}/_CLIENTS/ZWAVE_GATEWAY-{shown}/status", self.prefix);
            let topic = PasteShell::OF_THIS_SYSTEM.quote(&topic);
            let clear = format!("mosquitto_pub -r -n -t {topic}");
            if online {
                format!("{shown}: an old status message that nobody stands behind; clear it: {clear}")
            } else {
                format!(
                    "The Z-Wave gateway {shown} is offline. If it is gone for good, clear its status: \
                     {clear}"
                )
            }
        });
        bounds::shorten_list(sentences.collect(), bounds::CHOICES)
    }

    /// Checks that their drivers run; returns the troubles of others.
    pub fn driver(&self) -> Finding<Vec<String>> {
        let stopped = |trouble: &Trouble| matches!(trouble, Trouble::DriverNotReady { .. });
        self.gateways.look(|view| {
            let others = self.check_troubles(view, stopped, |_| true)?;
            // Only a running driver reports the nodes.
            if view.gateways.iter().any(|gateway| gateway.known) {
                Ok(("ready".to_owned(), others))
            } else {
                Err(wording::STILL_READING.to_owned())
            }
        })
    }

    /// Returns the `wrong` troubles of gateways that may be missing. Fails if a named gateway has one, or
    /// if every gateway is `away`. One of several that nobody named may be left over from a gateway that
    /// is gone.
    fn check_troubles(
        &self,
        view: &View,
        wrong: impl Fn(&Trouble) -> bool,
        away: impl Fn(&Trouble) -> bool,
    ) -> Result<Vec<String>, String> {
        if let Some(trouble) = &view.trouble {
            return Err(self.word(trouble));
        }
        let troubles = || view.gateways.iter().filter_map(|gateway| gateway.trouble.as_ref());
        let found: Vec<String> = troubles()
            .filter(|trouble| wrong(trouble))
            .map(|trouble| self.word(trouble))
            .collect();
        let nobody = troubles().filter(|trouble| away(trouble)).count() == view.gateways.len();
        if !found.is_empty() && (self.named || nobody) {
            return Err(found.join(" "));
        }
        Ok(found)
    }

    /// Checks that there is a device to list.
    pub fn devices(&self) -> Finding<()> {
        let (all, dead) = self.gateways.look(|view| {
            check_known_in_words(view)?;
            let devices: Vec<_> = view.house.devices().iter().collect();
            Ok::<_, String>((devices.len(), count_dead(view, &devices)))
        })?;
        let settings = "--expose and --hide";
        let mut text = match (all, self.limited) {
            (0, false) => {
                return Err(
                    "The gateway has no device to list. Include devices in zwave-js-ui, \
                     and wait until their interviews are complete."
                        .to_owned(),
                );
            }
            (0, true) => {
                return Err(format!(
                    "There is no device to list. Check {settings}, and that devices are included \
                     in zwave-js-ui."
                ));
            }
            (1, _) => "1 device".to_owned(),
            (count, _) => format!("{count} devices"),
        };
        if dead > 0 {
            text.push_str(&format!(", {dead} of them not responding"));
        }
        if self.limited {
            text.push_str(&format!(", as {settings} leave them"));
        }
        Ok((text, ()))
    }

    /// Listens for changes. A quiet house is not wrong.
    pub async fn values(&self) -> Finding<()> {
        let limit = Instant::now() + LISTEN;
        if self.listener.wait_until(limit, |seen| seen.live.is_some()).await {
            let limit = Instant::now() + EVENT;
            self.listener.wait_until(limit, |seen| seen.event).await;
        }
        if let Some(trouble) = self.gateways.look(|view| view.trouble.clone()) {
            return Err(wording::word_trouble(&trouble));
        }
        let seen = self.listener.traffic();
        if seen.event {
            let text = "an event was heard live; what changes is known at once";
            return Ok((text.to_owned(), ()));
        }
        let what = match seen.live {
            Some(LiveTraffic::Value) => "a value was heard live, but no event".to_owned(),
            Some(LiveTraffic::Status) => {
                "a device's status was heard live, but no event".to_owned()
            }
            Some(LiveTraffic::Event) | None => format!("the house was quiet for {}", span(LISTEN)),
        };
        Ok((
            format!(
                "{what}; until an event is heard, the nodes are read again before a command{}",
                self.costs()
            ),
            (),
        ))
    }

    /// Says how long a reading of the nodes takes.
    fn costs(&self) -> String {
        let took = self
            .gateways
            .look(|view| view.gateways.iter().filter_map(|gateway| gateway.took).max());
        match took {
            Some(took) => format!(", which takes {} ms here", took.as_millis().max(1)),
            None => String::new(),
        }
    }

    /// Returns advice if the broker does not deliver retained messages to a filter with wildcards.
    fn explain_unread_names(&self) -> Option<&'static str> {
        let seen = self.listener.traffic();
        (seen.retained && !seen.retained_by_wildcard).then_some(
            "This broker hands out what it keeps only to who asks for a topic by its whole name, as \
             RabbitMQ does: name the gateway with --gateway, so that it is found while it is quiet.",
        )
    }

    /// Returns advice if the broker delivers a message once for each subscription of a client (MQTT
    /// 3.1.1, section 3.3.5): zwave-js-ui's subscriptions overlap.
    fn explain_double_delivery(&self) -> Option<&'static str> {
        self.listener.traffic().answered_twice.then_some(
            "Each request reaches zwave-js-ui twice on this broker, and so does each command: it takes the \
             radio twice as long, and a scene runs twice. Use a broker that delivers a message once, such \
             as Mosquitto.",
        )
    }

    /// Returns a hint for each pattern in the settings that no device matches.
    pub fn word_unmatched(&self) -> Vec<String> {
        self.gateways.look(word_unmatched)
    }

    /// Returns true if nothing has shown yet whether zwave-js-ui sends events.
    pub fn was_quiet(&self) -> bool {
        let seen = self.listener.traffic();
        !seen.event && seen.live.is_none()
    }

    /// Describes how zwave-js-ui is set up, as far as it shows, and what would be better.
    pub fn settings(&self) -> (String, Vec<String>) {
        let seen = self.listener.traffic();
        let mut hints = Vec::new();
        let events = if seen.event {
            "events are on"
        } else if self.was_quiet() {
            hints.push(
                "The house was quiet, so doctor can't see yet whether zwave-js-ui sends events. Switch \
                 something by hand while doctor runs, or look in zwave-js-ui whether Settings → Gateway → \
                 Send Z-Wave events is on."
                    .to_owned(),
            );
            "events can't be seen yet"
        } else {
            hints.push(format!(
                "Recommended in zwave-js-ui: Settings → Gateway → Send Z-Wave events, so that new \
                 names, devices and values are known at once, and no command waits for the nodes to \
                 be read{}.",
                self.costs()
            ));
            hints.push(
                "Until then, zwave-js-ui's log level (Settings → General) is better \"warn\": at \
                 \"info\" it writes every reading of the nodes into its log as a whole."
                    .to_owned(),
            );
            "events are off"
        };
        let retain = if seen.retained {
            "retain is on"
        } else {
            hints.push(
                "Recommended in zwave-js-ui: Settings → MQTT → Retain, so that the gateway is \
                 found at once, and known to be away when it is."
                    .to_owned(),
            );
            "retain is off"
        };
        let of_broker = [self.explain_unread_names(), self.explain_double_delivery()];
        hints.extend(of_broker.into_iter().flatten().map(str::to_owned));
        hints.extend(self.word_unmatched());
        (format!("{events}, {retain}"), hints)
    }
}
