//! `doctor`: checks everything that the server needs, in order of dependency, and says what to do about
//! the first check that fails.
//!
//! `doctor` writes to no device. It uses the server's code for the connection and the house, so a check that
//! passes here also holds for the server. If all is well, the report ends with the entries for hosts.

mod entries;
mod hosts;
mod house;
mod owner;
mod reach;
mod report;
mod rights;
mod shell;
mod traffic;

use std::io::{self, Write};

use tokio::time::{Duration, Instant};

use crate::gateway::bus::End;
use crate::gateway::mqtt::Broker;
use crate::gateway::{GatewaySettings, Gateways, Rules};
use house::ExaminedHouse;
use report::{Check, Halt};
use traffic::TrafficListener;

pub use entries::Entries;
pub use hosts::{EntryFormat, KnownHost, find_hosts, hosts};
pub use owner::warn_of_unmatched;
pub use report::Report;

/// How long to wait for the gateways to be found and to answer.
const HOUSE_TIMEOUT: Duration = Duration::from_secs(11);

/// The maximum reply timeout of `doctor`, even if the settings have a longer one.
const MAX_REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// The house to examine.
pub struct Case<C> {
    /// The brokers of one cluster; empty for the demo house.
    pub brokers: Vec<Broker>,
    /// True for the demo house, which is quiet and has no zwave-js-ui to set up.
    pub is_demo: bool,
    /// Sentences about settings that are probably not what their owner wants.
    pub warnings: Vec<String>,
    /// The settings with which the server would look for the house.
    pub settings: GatewaySettings,
    /// Connects to the given brokers in turn, or to the demo house if the list is empty. Called in the tokio
    /// runtime.
    pub connect: C,
}

/// Runs the checks, up to the first that fails, and prints the report. Returns true if no check fails. If a
/// check fails, only a JSON report has the entries for hosts. Takes at most about 30 s, and 15 s more for
/// each further broker. Must be called in a tokio runtime. A name lookup may still be running when this
/// function returns.
pub async fn run<C: Fn(&[Broker]) -> End>(
    case: Case<C>,
    entries: &Entries,
    mut report: Report<impl Write, impl Write>,
) -> io::Result<bool> {
    match examine(case, &mut report).await {
        Ok(()) | Err(Halt::CheckFailed) => report.finish(entries),
        Err(Halt::Print(error)) => Err(error),
    }
}

async fn examine<C: Fn(&[Broker]) -> End>(
    mut case: Case<C>,
    report: &mut Report<impl Write, impl Write>,
) -> Result<(), Halt> {
    report.hint(case.warnings)?;
    let mut settings = case.settings;
    let rules = &mut settings.rules;
    rules.reply_timeout = rules.reply_timeout.min(MAX_REPLY_TIMEOUT);
    if case.brokers.is_empty() {
        for check in [Check::Name, Check::Tcp, Check::Tls, Check::Login] {
            report.skip(check, "the demo house needs no broker")?;
        }
    } else {
        case.brokers = find_reachable(case.brokers, &settings.rules, &case.connect, report).await?;
    }
    let (listener, end) = TrafficListener::new((case.connect)(&case.brokers), &settings.rules);
    let house = ExaminedHouse {
        prefix: settings.rules.prefix.clone(),
        names_gateways: !settings.rules.named.is_empty(),
        hides_devices: !settings.exposure.is_everything(),
        gateways: Gateways::start(end, settings),
        listener,
        deadline: Instant::now() + HOUSE_TIMEOUT,
    };
    report.check(Check::Prefix, house.check_prefix()).await?;
    let hints = report.check(Check::Gateway, house.check_gateways()).await?;
    report.hint(hints)?;
    let hints = report.record(Check::Driver, house.check_drivers())?;
    report.hint(hints)?;
    report.record(Check::Devices, house.check_devices())?;
    report.record(
        Check::Guarded,
        Ok((owner::list_guarded(&house.gateways), ())),
    )?;
    if case.is_demo {
        report.skip(
            Check::Values,
            "the demo house is quiet until you switch something",
        )?;
        report.skip(Check::Settings, "the demo house has nothing to set up")?;
        return Ok(report.hint(house.gateways.with_view(owner::describe_unmatched))?);
    }
    report.check(Check::Values, house.check_values()).await?;
    let (description, hints) = house.describe_settings();
    if house.was_quiet() {
        report.skip(Check::Settings, &description)?;
    } else {
        report.record(Check::Settings, Ok((description, ())))?;
    }
    Ok(report.hint(hints)?)
}

/// Checks the brokers one after the other, and returns the brokers that let us in. If there is at least one,
/// the examination goes on, because the server needs just one.
async fn find_reachable(
    brokers: Vec<Broker>,
    rules: &Rules,
    connect: impl Fn(&[Broker]) -> End,
    report: &mut Report<impl Write, impl Write>,
) -> Result<Vec<Broker>, Halt> {
    let has_several = brokers.len() > 1;
    let mut reached = Vec::new();
    for broker in brokers {
        report.broker = has_several.then(|| broker.address());
        match check_broker(&broker, rules, &connect, report).await {
            Ok(()) => reached.push(broker),
            Err(Halt::CheckFailed) => {}
            Err(halt) => return Err(halt),
        }
    }
    report.broker = None;
    if reached.is_empty() {
        return Err(Halt::CheckFailed);
    }
    Ok(reached)
}

/// Connects to a broker step by step, and disconnects again.
async fn check_broker(
    broker: &Broker,
    rules: &Rules,
    connect: impl Fn(&[Broker]) -> End,
    report: &mut Report<impl Write, impl Write>,
) -> Result<(), Halt> {
    let addresses = report.check(Check::Name, reach::look_up_name(broker)).await?;
    report.check(Check::Tcp, reach::open_port(broker, addresses.as_slice())).await?;
    let (listener, _end) = TrafficListener::new(connect(std::slice::from_ref(broker)), rules);
    if broker.tls.is_some() {
        report.check(Check::Tls, reach::check_tls(broker, &listener)).await?;
    } else {
        report.skip(Check::Tls, "not used (the address says mqtt://)")?;
    }
    report.check(Check::Login, reach::check_login(broker, &listener)).await
}
