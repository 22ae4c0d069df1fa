//! The house behind the broker: who publishes, who answers, and whether what changes is heard of.

use tokio::time::{Duration, Instant, sleep};

use super::report::Found;
use super::slips::slips;
use super::tap::{Live, Tap};
use crate::gateway::{Gateway, OLD_VALUES, Trouble, View};
use crate::home::text;
use crate::mcp::arguments::ListArguments;
use crate::mcp::list::list;
use crate::mcp::wording::{self, span};

/// How long is listened for something that passes unasked.
const LISTEN: Duration = Duration::from_secs(5);

/// How long an event may come after the value that it tells of: both are published together.
const EVENT: Duration = Duration::from_secs(1);

/// How often it is looked whether what was heard has been taken in.
const LOOK: Duration = Duration::from_millis(50);

/// The house as the server would see it.
pub struct House {
    /// The prefix of every topic.
    pub prefix: String,
    /// Whether gateways were named: then each of them has to be there.
    pub named: bool,
    /// Whether the settings hide devices.
    pub limited: bool,
    /// The way to the house.
    pub gateway: Gateway,
    /// What passes.
    pub tap: Tap,
    /// When the house has had its time to show itself.
    pub limit: Instant,
}

impl House {
    /// Whether a zwave-js-ui publishes under the prefix.
    pub async fn prefix(&self) -> Found<()> {
        tokio::select! {
            _ = self.tap.until(self.limit, |heard| heard.gateway) => {}
            () = self.gateway.settle(self.limit) => {}
        }
        if self.tap.heard().gateway {
            return Ok((format!("a zwave-js-ui publishes under {}", self.prefix), ()));
        }
        let mut told =
            self.gateway.look(|view| {
                let of_a_site = view.sites.iter().find_map(|site| site.trouble.as_ref());
                wording::trouble(view.trouble.as_ref().or(of_a_site).unwrap_or(
                    &Trouble::NoGateway {
                        prefix: self.prefix.clone(),
                    },
                ))
            });
        for prefix in self.tap.elsewhere().await {
            let prefix = text::name(&prefix);
            told.push_str(&format!(" There is one under \"{prefix}\"."));
        }
        Err(told)
    }

    /// Whether the gateways that count are connected and answer; what is wrong with others.
    pub async fn found(&self) -> Found<Vec<String>> {
        self.gateway.settle(self.limit).await;
        let away = |trouble: &Trouble| !matches!(trouble, Trouble::DriverNotReady { .. });
        self.gateway.look(|view| {
            let mut others = self.only_others(view, away, away)?;
            let there = view.sites.iter().filter(|site| {
                let trouble = site.trouble.as_ref();
                !trouble.is_some_and(away)
            });
            // A gateway that was given another name leaves a status behind that says "online".
            let answered = view.sites.iter().any(|site| site.known);
            let (there, silent): (Vec<_>, Vec<_>) =
                there.partition(|site| site.known || site.trouble.is_some() || !answered);
            others.extend(silent.into_iter().map(|site| {
                format!(
                    "The gateway \"{}\" is said to be online and has not answered yet. If it is gone \
                     for good, name those that are there with --gateway.",
                    text::name(&site.name)
                )
            }));
            let names: Vec<String> = there.iter().map(|site| text::name(&site.name)).collect();
            Ok((names.join(", "), others))
        })
    }

    /// Whether their drivers run; what is wrong with others.
    pub fn driver(&self) -> Found<Vec<String>> {
        let stopped = |trouble: &Trouble| matches!(trouble, Trouble::DriverNotReady { .. });
        self.gateway.look(|view| {
            let others = self.only_others(view, stopped, |_| true)?;
            // It answered out of its driver.
            if view.sites.iter().any(|site| site.known) {
                Ok(("ready".to_owned(), others))
            } else {
                Err(wording::STILL_READING.to_owned())
            }
        })
    }

    /// What is wrong in this way with gateways that may be away; an error where one that has to be
    /// there is, or where every one is away (`away` says in which ways they can be). One of several
    /// that nobody named may be the leftover of a gateway that was.
    fn only_others(
        &self,
        view: &View,
        wrong: impl Fn(&Trouble) -> bool,
        away: impl Fn(&Trouble) -> bool,
    ) -> Result<Vec<String>, String> {
        if let Some(trouble) = &view.trouble {
            return Err(wording::trouble(trouble));
        }
        let troubles = || view.sites.iter().filter_map(|site| site.trouble.as_ref());
        let told = troubles().filter(|trouble| wrong(trouble));
        let told: Vec<String> = told.map(wording::trouble).collect();
        let nobody = troubles().filter(|trouble| away(trouble)).count() == view.sites.len();
        if !told.is_empty() && (self.named || nobody) {
            return Err(told.join(" "));
        }
        Ok(told)
    }

    /// Whether there is anything to list.
    pub fn devices(&self) -> Found<()> {
        let answer = self
            .gateway
            .look(|view| list(view, &ListArguments::default(), true));
        if answer.is_error {
            return Err(answer.text);
        }
        let count = |field| {
            let count = answer
                .structured
                .as_ref()
                .and_then(|facts| facts.get(field));
            count.and_then(serde_json::Value::as_u64).unwrap_or(0)
        };
        let (responding, dead) = (count("count"), count("notResponding"));
        let settings = "--expose and --hide";
        let mut text = match (responding + dead, self.limited) {
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

    /// Whether something is heard unasked, and then, whether a known device's value was; a quiet
    /// house is not wrong.
    pub async fn values(&self) -> Found<bool> {
        let limit = Instant::now() + LISTEN;
        let heard = self.tap.until(limit, |heard| heard.live.is_some()).await;
        let again = format!(
            "what is older than {} is read again before it is listed",
            span(OLD_VALUES)
        );
        let mut tells = false;
        if heard {
            let limit = Instant::now() + EVENT;
            loop {
                let sites = self.gateway.look(|view| view.sites.clone());
                tells = sites.iter().all(|site| site.tells || !site.known);
                if (tells && self.tap.heard().event) || Instant::now() >= limit {
                    break;
                }
                sleep(LOOK).await;
            }
        }
        if let Some(trouble) = self.gateway.look(|view| view.trouble.clone()) {
            return Err(wording::trouble(&trouble));
        }
        let what = match self.tap.heard().live {
            Some(Live::Value) if tells => "a value",
            // The topic of nothing that was read: another program's, or a device that is new.
            Some(Live::Value) => "a message, but no known device's value,",
            Some(Live::Status) => "a device's status",
            Some(Live::Event) => "an event",
            None => {
                let listened = span(LISTEN);
                let quiet = format!("the house was quiet for {listened}; until a value is heard");
                return Ok((format!("{quiet}, {again}"), false));
            }
        };
        let how = if tells {
            "what changes is known at once".to_owned()
        } else {
            format!("until a value is heard, {again}")
        };
        Ok((format!("{what} was heard live; {how}"), tells))
    }

    /// How zwave-js-ui is set up, as far as it shows, and what would be better. `tells`: a known
    /// device's value was heard live.
    pub fn settings(&self, tells: bool) -> (String, Vec<String>) {
        let heard = self.tap.heard();
        let mut hints = Vec::new();
        // Without retain, a house that is quiet shows none of its topics.
        let values = match (heard.retained_values || tells, heard.retained) {
            (true, _) => "values are published",
            (false, true) => {
                hints.push(
                    "Recommended in zwave-js-ui: Settings → Gateway → Type, ValueID topics or \
                     Named topics, so that values have topics.",
                );
                "values are not published"
            }
            (false, false) => "no value was published meanwhile",
        };
        let events = if heard.event {
            "events are on"
        } else {
            hints.push(
                "Recommended in zwave-js-ui: Settings → Gateway → Send Z-Wave events, so that new \
                 names and devices are known at once.",
            );
            match heard.live {
                Some(Live::Value) if tells => "events are off",
                _ => "no event was heard (a quiet house sends none)",
            }
        };
        let retain = if heard.retained {
            "retain is on"
        } else {
            hints.push(
                "Recommended in zwave-js-ui: Settings → MQTT → Retain, so that the gateway is \
                 found at once, and known to be away when it is.",
            );
            "retain is off"
        };
        let mut hints: Vec<String> = hints.into_iter().map(str::to_owned).collect();
        hints.extend(self.gateway.look(slips));
        (format!("{values}, {events}, {retain}"), hints)
    }
}
