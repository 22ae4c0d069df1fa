//! The settings, resolved from the options and the environment.

mod broker;
pub mod for_hosts;
mod house;
mod sources;
mod spelling;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use tracing_subscriber::filter::Targets;

use super::options::Options;
use crate::gateway::bus::End;
use crate::gateway::mqtt::Broker;
use crate::gateway::{GatewaySettings, Rules, memory, mqtt, system_clock, system_zone};
use crate::home::guard::Guard;
use crate::logging;
use crate::mcp::Policy;
use crate::simulator::{Setup, Sim, demo_house};

pub(super) use broker::split_addresses;
use sources::GivenSettings;

pub use sources::{SettingError, Sources};
pub use spelling::warn_of_misspelt;

/// All settings of the server.
pub struct Settings {
    /// The brokers of one cluster, in the order in which they are tried; empty for the demo house.
    pub brokers: Vec<Broker>,
    /// The settings of the house and its gateways.
    pub house: GatewaySettings,
    /// The owner's decisions about the tools.
    pub policy: Policy,
    /// The log: its levels and files.
    pub logs: LogSettings,
    /// The file that the password is read from.
    pub password_file: Option<PathBuf>,
}

impl Settings {
    /// Resolves all settings.
    ///
    /// # Errors
    /// Reports the first setting that is wrong.
    pub fn resolve(options: &Options, sources: &Sources) -> Result<Self, SettingError> {
        let given = GivenSettings::find(options, sources);
        let demo = given.flag("--demo")?;
        let client_id = format!("zwave-mcp-{:016x}", random());
        let brokers = (!demo).then(|| broker::read_brokers(&given, sources, &client_id));
        let prefix = house::read_prefix(&given)?;
        let (question_topic, prefers_topic) = house::read_questions(&given, &prefix)?;
        Ok(Self {
            logs: read_logs(&given)?,
            password_file: given.first("--password-file").map(|found| found.text.trim().into()),
            brokers: brokers.transpose()?.unwrap_or_default(),
            house: GatewaySettings {
                question_topic,
                rules: Rules {
                    prefix,
                    named: house::read_gateways(&given)?,
                    reply_timeout: given.time("--reply-timeout")?,
                    id_prefix: format!("{client_id}-"),
                },
                exposure: house::read_exposure(&given, sources)?,
                confirm_timeout: given.time("--confirm-timeout")?,
                clock: system_clock(),
                zone: system_zone(),
            },
            policy: Policy {
                prefers_topic,
                ..house::read_policy(&given)?
            },
        })
    }

    /// Returns a warning if users other than the owner can read the password file, and one for a topic on which nobody
    /// is ever asked.
    pub fn warnings(&self) -> Vec<String> {
        let file = self.password_file.as_ref().filter(|file| is_readable_by_others(file));
        let readable = file.map(|file| {
            format!(
                "others can read the password in {}; chmod 600 lets only the file's owner read it",
                file.display()
            )
        });
        let is_unused = self.house.question_topic.is_some() && self.policy.guard != Guard::Confirm;
        let unused =
            is_unused.then(|| "--confirm-topic does nothing without --guard confirm".to_owned());
        readable.into_iter().chain(unused).collect()
    }

    /// Connects to these brokers, or to a new demo house if there are none. Must be called in a tokio runtime.
    pub fn connect(&self, brokers: &[Broker]) -> End {
        if !brokers.is_empty() {
            return mqtt::connect(brokers.to_vec());
        }
        let (near, far) = memory::pair();
        Sim::start(far, self.simulated_setup("demo"), demo_house());
        near
    }

    /// Returns the setup of a simulated gateway with this name.
    pub fn simulated_setup(&self, name: &str) -> Setup {
        Setup {
            prefix: self.house.rules.prefix.clone(),
            name: name.to_owned(),
            events: true,
            ..Setup::default()
        }
    }
}

/// Returns a random number.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Tries a cluster's brokers in turn until one accepts the connection with another client id. Must be called in a tokio
/// runtime.
pub fn connect(mut brokers: Vec<Broker>, client_id: &str) -> End {
    for broker in &mut brokers {
        client_id.clone_into(&mut broker.client_id);
    }
    mqtt::connect(brokers)
}

/// The settings of the log, which goes to stderr and optionally to files.
#[derive(Clone)]
pub struct LogSettings {
    /// The levels to log.
    pub filter: Targets,
    /// A folder for log files, and the number of days for which they are kept, including today: 1 to 3650.
    pub files: Option<(PathBuf, u16)>,
}

/// Reads the settings of the log. Does not check that the folder is writable, because the server must run
/// even if it can't write log files.
fn read_logs(given: &GivenSettings) -> Result<LogSettings, SettingError> {
    let levels = "error, warn, info, debug, trace, or levels such as info,rmcp=debug";
    let filter = given.parse("--log-level", levels, logging::parse_filter)?;
    let days = given.parse("--log-days", "a number of days from 1 to 3650", |text| {
        text.parse().ok().filter(|days| (1..=3650).contains(days))
    })?;
    let folder = given.first("--log-file");
    Ok(LogSettings {
        filter,
        files: folder.map(|found| (found.text.clone().into(), days)),
    })
}

#[cfg(unix)]
fn is_readable_by_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|file| file.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn is_readable_by_others(_: &Path) -> bool {
    false
}
