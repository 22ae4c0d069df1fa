//! `doctor`: checks everything that has to be in place, in the order in which one thing needs the
//! other, and says what to do about the first that is not.
//!
//! It writes to no device. It uses the connection and the house that the server itself would use, so
//! that a check that passes here holds there. If all is well, it ends with entries for hosts.

mod entries;
mod hosts;
mod house;
mod links;
mod notation;
mod owner;
mod reach;
mod report;
mod rights;
mod shell;
mod traffic;

use std::io::{self, Write};

use tokio::time::{Duration, Instant};

use crate::cli::settings::BrokerSettings;
use crate::gateway::bus::End;
use crate::gateway::{GatewaySettings, Gateways};
use house::ExaminedHouse;
use report::{Check, Halt};
use traffic::TrafficListener;

pub use entries::Entries;
pub use hosts::{Format, HOSTS, Host, find_hosts};
pub use owner::warn_of_unmatched;
pub use report::Report;

/// The time that the gateways have to show themselves and to answer.
const HOUSE: Duration = Duration::from_secs(11);

/// The maximum time for a gateway's answer here, whatever the settings allow a server.
const REPLY: Duration = Duration::from_secs(10);

/// The house to examine.
pub struct Case<C> {
    /// The brokers of one cluster; none with a simulated house.
    pub brokers: Vec<BrokerSettings>,
    /// True for the demo house, where nobody lives and whose zwave-js-ui can't be set up.
    pub demo: bool,
    /// The settings with which the server would look for the house.
    pub settings: GatewaySettings,
    /// Connects to these brokers in turn, or, without any, to the demo house. Called in the tokio
    /// runtime.
    pub connect: C,
}

/// Makes every check and prints the findings, then the entries; returns false, without entries, if
/// something is wrong. Takes at most about 30 s, and 15 more for each further broker. Must be called in
/// a tokio runtime, which may still look a name up afterwards.
pub async fn run<C: Fn(&[BrokerSettings]) -> End>(
    case: Case<C>,
    entries: &Entries,
    mut report: Report<impl Write, impl Write>,
) -> io::Result<bool> {
    match examine(case, &mut report).await {
        Ok(()) | Err(Halt::Wrong) => report.finish(entries),
        Err(Halt::Print(error)) => Err(error),
    }
}

async fn examine<C: Fn(&[BrokerSettings]) -> End>(
    case: Case<C>,
    report: &mut Report<impl Write, impl Write>,
) -> Result<(), Halt> {
    let Case {
        mut brokers,
        demo,
        settings: mut served,
        connect,
    } = case;
    served.reply_timeout = served.reply_timeout.min(REPLY);
    if brokers.is_empty() {
        for check in [Check::Name, Check::Tcp, Check::Tls, Check::Login] {
            report.skip(check, "the demo house needs no broker")?;
        }
    } else {
        brokers = find_reachable(brokers, &served, &connect, report).await?;
    }
    let (listener, end) = TrafficListener::new(connect(&brokers), &served);
    let house = ExaminedHouse {
        prefix: served.prefix.clone(),
        named: !served.gateways.is_empty(),
        limited: !served.exposure.is_everything(),
        gateways: Gateways::start(end, served),
        listener,
        limit: Instant::now() + HOUSE,
    };
    report.check(Check::Prefix, house.prefix()).await?;
    let others = report.check(Check::Gateway, house.check_gateways()).await?;
    report.hint(others)?;
    let others = report.record(Check::Driver, house.driver())?;
    report.hint(others)?;
    report.record(Check::Devices, house.devices())?;
    report.record(
        Check::Guarded,
        Ok((owner::list_guarded(&house.gateways), ())),
    )?;
    if demo {
        report.skip(
            Check::Values,
            "the demo house is quiet until you switch something",
        )?;
        report.skip(Check::Settings, "the demo house has nothing to set up")?;
        return Ok(report.hint(house.word_unmatched())?);
    }
    report.check(Check::Values, house.values()).await?;
    let (settings, hints) = house.settings();
    if house.was_quiet() {
        report.skip(Check::Settings, &settings)?;
    } else {
        report.record(Check::Settings, Ok((settings, ())))?;
    }
    Ok(report.hint(hints)?)
}

/// Examines the brokers one after the other, and returns those that let us in: one is enough for the
/// server.
async fn find_reachable(
    brokers: Vec<BrokerSettings>,
    settings: &GatewaySettings,
    connect: impl Fn(&[BrokerSettings]) -> End,
    report: &mut Report<impl Write, impl Write>,
) -> Result<Vec<BrokerSettings>, Halt> {
    let several = brokers.len() > 1;
    let mut reached = Vec::new();
    for broker in brokers {
        report.set_broker(several.then(|| broker.address()));
        match reach(&broker, settings, &connect, report).await {
            Ok(()) => reached.push(broker),
            Err(Halt::Wrong) => {}
            Err(halt) => return Err(halt),
        }
    }
    report.set_broker(None);
    if reached.is_empty() {
        return Err(Halt::Wrong);
    }
    Ok(reached)
}

/// Connects to a broker step by step, and disconnects again.
async fn reach(
    broker: &BrokerSettings,
    settings: &GatewaySettings,
    connect: impl Fn(&[BrokerSettings]) -> End,
    report: &mut Report<impl Write, impl Write>,
) -> Result<(), Halt> {
    let all = report.check(Check::Name, reach::look_up_name(broker)).await?;
    report.check(Check::Tcp, reach::open_port(broker, all.as_slice())).await?;
    let (listener, _end) = TrafficListener::new(connect(std::slice::from_ref(broker)), settings);
    if broker.tls.is_some() {
        report.check(Check::Tls, reach::check_tls(broker, &listener)).await?;
    } else {
        report.skip(Check::Tls, "not used (the address says mqtt://)")?;
    }
    report.check(Check::Login, reach::check_login(broker, &listener)).await
}
