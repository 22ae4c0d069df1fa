//! Settings, logging, signals and exit codes; everything else is in the library.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Parser;
use tokio_util::sync::CancellationToken;
use tracing_appender::non_blocking::WorkerGuard;
use zwave_mcp_server::cli::settings::for_hosts::HostSettings;
use zwave_mcp_server::cli::settings::{BrokerSettings, LogSettings, Settings, Sources};
use zwave_mcp_server::cli::{Cli, Command, Options, Talk, packaging, secret};
use zwave_mcp_server::commands::{self, CommandError, Printer, TargetServer};
use zwave_mcp_server::doctor::{self, Case, Entries, Report};
use zwave_mcp_server::gateway::bus::End;
use zwave_mcp_server::gateway::{self, Clock, Gateways, memory, mqtt};
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::logging::{self, Logs, redacted};
use zwave_mcp_server::simulator::{Setup, SimNode, Simulation, demo_house, house_of_reply};
use zwave_mcp_server::stdio::{Claimed, Stdio, Watch, claim};
use zwave_mcp_server::terminal::printable;
use zwave_mcp_server::{host, mcp, signals};

/// A tool or a connection failed.
const FAILED: u8 = 1;
/// Bad usage or settings.
const BAD_USAGE: u8 = 2;

/// Time for calls in flight after the host closes its side, plus slack for the protocol library.
const DRAIN: Duration = Duration::from_millis(5500);

/// How often it is looked whether anybody still reads, once the session is to end.
const LOOK: Duration = Duration::from_millis(10);

/// Why the program ends otherwise than well: its exit code, and a line on stderr.
struct ExitFailure(u8, String);

fn failed(error: impl ToString) -> ExitFailure {
    ExitFailure(FAILED, error.to_string())
}

fn bad_usage(error: impl ToString) -> ExitFailure {
    ExitFailure(BAD_USAGE, error.to_string())
}

pub(crate) fn main() -> ExitCode {
    let done = match Cli::try_parse() {
        Ok(cli) => run(cli),
        Err(error) => explain(&error),
    };
    done.unwrap_or_else(|ExitFailure(code, text)| {
        complain(&text);
        ExitCode::from(code)
    })
}

fn run(Cli { options, command }: Cli) -> Result<ExitCode, ExitFailure> {
    if let Some(Command::Talk(talk)) = &command
        && !talk.server().is_empty()
        && !options.broker.is_empty()
    {
        // It would be handed on to a server that has nothing to do with it.
        let right = "--broker is for this server's own house; leave it out with --server";
        return Err(bad_usage(right));
    }
    if let Some(why) = secret::hide_password(|| resolve(&options).is_ok()) {
        complain(&why);
    }
    match command.unwrap_or(Command::Serve) {
        Command::Serve => {
            let claimed = claim();
            serve(
                &options,
                claimed.map_err(|error| failed(format!("can't use stdout: {error}")))?,
            )
        }
        Command::Simulate { nodes, name } => simulate(&options, nodes.as_deref(), &name),
        Command::Talk(talk) => talk_to(&options, talk),
        #[cfg(feature = "view")]
        Command::View { no_open } => view(&options, !no_open),
        Command::Doctor { host, json } => match host {
            Some(host) => print_entries(&options, &host, json),
            None => see_doctor(&options, json),
        },
        Command::Completions { shell } => print(&packaging::completions(shell)),
        Command::Man => print(&packaging::manual()),
    }
}

/// Prints a text for people.
fn print(text: &[u8]) -> Result<ExitCode, ExitFailure> {
    let mut out = std::io::stdout();
    let printed = out.write_all(text).and_then(|()| out.flush());
    printed.map_or_else(unprinted, |()| Ok(ExitCode::SUCCESS))
}

/// What an error in printing comes to: one that closed the pipe has read enough.
fn unprinted(error: std::io::Error) -> Result<ExitCode, ExitFailure> {
    match error.kind() {
        ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        _ => Err(failed(format!("can't print: {error}"))),
    }
}

/// Prints help and the version to stdout, and a usage error without its password to stderr.
fn explain(error: &clap::Error) -> Result<ExitCode, ExitFailure> {
    let text = error.render().to_string();
    if !error.use_stderr() {
        return print(text.as_bytes());
    }
    // Where stderr is gone too, the exit code has to do.
    let _ = write!(std::io::stderr(), "{}", redacted(&text, &[]));
    Ok(ExitCode::from(BAD_USAGE))
}

/// Says one line on stderr.
fn complain(text: &str) {
    // Where stderr is gone too, the exit code has to do.
    let _ = writeln!(std::io::stderr(), "zwave-mcp-server: {}", printable(text));
}

fn runtime() -> Result<tokio::runtime::Runtime, ExitFailure> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().map_err(failed)
}

fn code(well: bool) -> ExitCode {
    ExitCode::from(if well { 0 } else { FAILED })
}

/// Where this program is: as it was called, where the system can't tell without /proc.
fn own_program() -> std::io::Result<PathBuf> {
    std::env::current_exe().or_else(|untold| {
        let called = std::env::args_os().next().map(PathBuf::from);
        called.filter(|path| path.is_absolute()).ok_or(untold)
    })
}

/// Talks to a server and prints for people. A signal ends it, and the server that it spawned.
fn talk_to(options: &Options, talk: Talk) -> Result<ExitCode, ExitFailure> {
    // Bad settings are reported here, not by a server that does not start.
    if talk.server().is_empty() {
        resolve(options)?;
    }
    let program = own_program().map_err(failed)?;
    let target = TargetServer::new(program, options, &talk);
    let mut printer = Printer::default();
    let done = runtime()?.block_on(async {
        tokio::select! {
            done = commands::run(target, talk, &mut printer) => done,
            () = signals::end_on_signal(CancellationToken::new()) => Ok(false),
        }
    });
    done.map_or_else(undone, |well| Ok(code(well)))
}

/// What a command comes to that failed.
fn undone(error: CommandError) -> Result<ExitCode, ExitFailure> {
    match error {
        CommandError::Print(error) => unprinted(error),
        error @ CommandError::Usage(_) => Err(bad_usage(error)),
        error => Err(failed(error)),
    }
}

/// Shows the house in a browser until a signal comes.
#[cfg(feature = "view")]
fn view(options: &Options, opens: bool) -> Result<ExitCode, ExitFailure> {
    resolve(options)?;
    let program = std::env::current_exe().map_err(failed)?;
    let target = TargetServer::own(program, options);
    let mut printer = Printer::default();
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let ended = CancellationToken::new();
        tokio::spawn(signals::end_on_signal(ended.clone()));
        commands::view(target, opens, ended, &mut printer).await
    });
    runtime.shutdown_background();
    done.map_or_else(undone, |()| Ok(ExitCode::SUCCESS))
}

/// Goes through all that has to be in place. A signal ends it as it ends any program.
fn see_doctor(options: &Options, as_json: bool) -> Result<ExitCode, ExitFailure> {
    let settings = resolve(options)?;
    if let Some(warning) = settings.warning() {
        complain(&warning);
    }
    // Only where somebody asked for it: the report says what matters.
    let logs = options.log_level.as_ref().map(|_| start_logging(&settings));
    let examined = examine(options, &settings, as_json);
    logging::end(logs.unwrap_or_default());
    examined.map(code)
}

/// Prints the entries for the named hosts, without any check.
fn print_entries(options: &Options, name: &str, as_json: bool) -> Result<ExitCode, ExitFailure> {
    let hosts = doctor::find_hosts(name).map_err(bad_usage)?;
    let settings = resolve(options)?;
    let entries = entries(options, &settings)?;
    let text = if as_json {
        format!("{:#}\n", entries.json(hosts))
    } else {
        format!("{}\n", entries.listing(hosts))
    };
    print(text.as_bytes())
}

fn entries(options: &Options, settings: &Settings) -> Result<Entries, ExitFailure> {
    let folder = std::env::current_dir().map_err(failed)?;
    Ok(Entries {
        program: own_program().map_err(failed)?,
        settings: HostSettings::new(settings, options, &SOURCES, &folder),
    })
}

fn examine(options: &Options, settings: &Settings, as_json: bool) -> Result<bool, ExitFailure> {
    let entries = entries(options, settings)?;
    let terminal = std::io::stderr();
    let terminal = terminal.is_terminal().then_some(terminal);
    let report = Report::new(std::io::stdout(), terminal, as_json);
    let process = random();
    let case = Case {
        brokers: settings.brokers.clone(),
        settings: gateway_settings(settings, process),
        connect: |brokers: &[BrokerSettings]| near_end(brokers, &settings.prefix, process),
    };
    let runtime = runtime()?;
    let well = runtime.block_on(doctor::run(case, &entries, report));
    // A name may still be looked up, for longer than anybody waits.
    runtime.shutdown_background();
    match well {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(true),
        well => well.map_err(failed),
    }
}

/// The process's environment and files.
const SOURCES: Sources = Sources {
    // What is no UTF-8 is not passed over: it is reported as wrong, or fits nothing.
    env: &|name| Some(std::env::var_os(name)?.to_string_lossy().into_owned()),
    file: &|path| std::fs::read_to_string(path).map_err(|error| error.to_string()),
};

fn resolve(options: &Options) -> Result<Settings, ExitFailure> {
    Settings::resolve(options, &SOURCES).map_err(bad_usage)
}

fn start_logging(settings: &Settings) -> Vec<WorkerGuard> {
    let secrets = settings.brokers.iter().flat_map(BrokerSettings::secrets);
    let LogSettings {
        filter,
        folder,
        days,
    } = settings.logs.clone();
    let terminal = std::io::stderr().is_terminal();
    // https://no-color.org: any text at all means no.
    let plain = std::env::var_os("NO_COLOR").is_some_and(|text| !text.is_empty());
    logging::start(Logs {
        filter,
        files: folder.map(|folder| (folder, days)),
        secrets: secrets.collect(),
        terminal,
        colours: terminal && !plain,
    })
}

/// Plays a zwave-js-ui until a signal comes.
fn simulate(options: &Options, nodes: Option<&str>, name: &str) -> Result<ExitCode, ExitFailure> {
    let settings = resolve(options)?;
    if settings.brokers.is_empty() {
        return Err(bad_usage("simulate needs a broker; leave --demo out"));
    }
    let nodes = nodes.map(read_nodes).transpose().map_err(bad_usage)?;
    let nodes = nodes.unwrap_or_else(demo_house);
    logged(&settings, |runtime| {
        runtime.block_on(async {
            let end = connect(&settings.brokers, &format!("simulated-{name}"));
            let setup = setup(settings.prefix.clone(), name);
            let simulation = Simulation::start(end, setup, nodes);
            signals::end_on_signal(CancellationToken::new()).await;
            simulation.stop();
            Ok(ExitCode::SUCCESS)
        })
    })
}

/// Works in a runtime while there is a log.
fn logged(
    settings: &Settings,
    work: impl FnOnce(&tokio::runtime::Runtime) -> Result<ExitCode, ExitFailure>,
) -> Result<ExitCode, ExitFailure> {
    let logs = start_logging(settings);
    let done = runtime().and_then(|runtime| {
        let done = work(&runtime);
        // A thread may still wait for a terminal's next line; it must not keep the process.
        runtime.shutdown_background();
        done
    });
    logging::end(logs);
    done
}

fn read_nodes(path: &str) -> Result<Vec<SimNode>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let nodes = text.and_then(|text| house_of_reply(&text).map_err(|error| error.to_string()));
    nodes.map_err(|why| format!("--nodes is \"{path}\"; it must be a getNodes reply ({why})"))
}

fn setup(prefix: String, name: &str) -> Setup {
    Setup {
        prefix,
        name: name.to_owned(),
        events: true,
        clock: clock(),
        ..Setup::default()
    }
}

fn connect(brokers: &[BrokerSettings], client_id: &str) -> End {
    let brokers = brokers.iter().cloned().map(|broker| mqtt::Broker {
        host: broker.host,
        port: broker.port,
        login: broker.login,
        tls: broker.tls,
        client_id: client_id.to_owned(),
        seed: random(),
    });
    mqtt::connect(brokers.collect())
}

fn serve(options: &Options, claimed: Claimed) -> Result<ExitCode, ExitFailure> {
    let settings = resolve(options)?;
    logged(&settings, |runtime| {
        if let Some(warning) = settings.warning() {
            tracing::warn!("{warning}");
        }
        runtime.block_on(session(&settings, claimed))
    })
}

/// One session with the host, from the first byte to the last.
async fn session(settings: &Settings, claimed: Claimed) -> Result<ExitCode, ExitFailure> {
    let end = CancellationToken::new();
    let Stdio {
        reader,
        writer,
        watch,
    } = claimed
        .open(&end)
        .map_err(|error| failed(format!("can't use stdin and stdout: {error}")))?;
    tokio::spawn(signals::end_on_signal(end.clone()));
    let without_host = end.clone();
    tokio::spawn(async move {
        host::gone().await;
        tracing::info!("the host is gone");
        without_host.cancel();
    });
    let policy = settings.policy;
    let process = random();
    let near = near_end(&settings.brokers, &settings.prefix, process);
    let gateways = Gateways::start(near, gateway_settings(settings, process));
    // The process ends with the session, and the system takes back a large house faster than we do.
    std::mem::forget(gateways.clone());
    tokio::spawn(doctor::warn_of_unmatched(gateways.clone()));
    let watch = Arc::new(watch);
    let stdin = Arc::clone(&watch);
    let is_closed = Box::new(move || stdin.is_closed());
    let served = tokio::select! {
        served = mcp::serve(reader, writer, is_closed, gateways, policy) => served,
        () = drained(&end, &watch) => Ok(()),
    };
    served.map_or_else(|error| Err(failed(error)), |()| Ok(ExitCode::SUCCESS))
}

/// Waits for the time at which a session that is to end has to be over: when nobody reads any more,
/// or calls in flight have had their time.
async fn drained(end: &CancellationToken, watch: &Watch) {
    end.cancelled().await;
    let limit = tokio::time::Instant::now() + DRAIN;
    while !watch.broken() && tokio::time::Instant::now() < limit {
        tokio::time::sleep(LOOK).await;
    }
}

/// A number that no other process has.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn clock() -> Clock {
    Arc::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Timestamp(now.map_or(0, |now| now.as_millis() as u64))
    })
}

/// Connects to a cluster's brokers in turn, or to the demo house, which needs none.
fn near_end(brokers: &[BrokerSettings], prefix: &str, process: u64) -> End {
    if !brokers.is_empty() {
        return connect(brokers, &format!("zwave-mcp-{process:016x}"));
    }
    let (near, far) = memory::pair();
    Simulation::start(far, setup(prefix.to_owned(), "demo"), demo_house());
    near
}

fn gateway_settings(settings: &Settings, process: u64) -> gateway::GatewaySettings {
    gateway::GatewaySettings {
        prefix: settings.prefix.clone(),
        gateways: settings.gateways.clone(),
        exposure: settings.exposure.clone(),
        reply_timeout: settings.reply_timeout,
        confirm_timeout: settings.confirm_timeout,
        clock: clock(),
        process,
    }
}
