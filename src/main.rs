//! The program `zwave-mcp-server`: starts a command, and handles its logging, signals and exit code. Everything
//! else is in the library.

use std::future::pending;
use std::io::{ErrorKind, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::CommandFactory;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use zwave_mcp_server::cli::exit::{
    ExitStatus, Failure, bad_usage, block_on, exit_after_printing, explain, failed, print,
};
use zwave_mcp_server::cli::settings::for_hosts::HostSettings;
use zwave_mcp_server::cli::settings::{
    LogSettings, Settings, Sources, connect, random, warn_of_misspelt,
};
use zwave_mcp_server::cli::{Cli, Command, Options, Talk, options::Suggested, packaging, secret};
use zwave_mcp_server::client::Redactor;
use zwave_mcp_server::commands::{self, CommandError, Printer, TargetServer};
use zwave_mcp_server::doctor::{self, Case, Entries, Report};
use zwave_mcp_server::gateway::mqtt::Broker;
use zwave_mcp_server::gateway::{Gateways, Need};
use zwave_mcp_server::logging::{Logging, Logs};
use zwave_mcp_server::simulator::{DEMO_NOTE, Sim, SimNode, demo_house, nodes_of_reply};
use zwave_mcp_server::stdio::{Claimed, Watch, claim};
use zwave_mcp_server::terminal::{Screen, note};
use zwave_mcp_server::{host, mcp, signals};

/// How long calls in flight may continue after the session was told to end. Includes slack for the protocol
/// library.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(5500);

/// The time between two checks whether an ending session's host still reads, or whether a simulation is connected.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

pub(crate) fn main() -> ExitCode {
    let done = match Cli::parse_arguments() {
        Ok(cli) => run(cli),
        Err(error) => explain(&error),
    };
    done.unwrap_or_else(|Failure(code, text)| {
        complain(&text);
        ExitCode::from(code)
    })
}

fn run(Cli { options, command }: Cli) -> Result<ExitCode, Failure> {
    if let Some(Command::Talk(talk)) = &command
        && !talk.server().is_empty()
        && options.has("--broker")
    {
        // The server that `--server` names has no use for a broker. It might even inherit the password in the
        // broker's address, because `hide_password` moves the address to the environment.
        let message =
            "--server starts another server, which has no use for --broker; leave --broker out";
        return Err(bad_usage(message));
    }
    if let Some(why) = secret::hide_password(|| resolve(&options).is_ok()) {
        complain(&why);
    }
    if options.has("--demo") && options.has("--broker") && command.is_some() {
        complain("--broker is ignored: --demo uses the demo house");
    }
    match command.unwrap_or(Command::Serve) {
        Command::Serve => {
            let claimed = claim().map_err(|error| failed(format!("can't use stdout: {error}")))?;
            serve(&options, claimed)
        }
        Command::Simulate { nodes, name } => simulate(&options, nodes.as_deref(), &name),
        Command::Talk(talk) => talk_to(&options, talk),
        #[cfg(feature = "view")]
        Command::View { no_open } => view(&options, !no_open),
        Command::Doctor { host, json } => match host {
            Some(host) => print_entries(&options, &host, json),
            None => run_doctor(&options, json),
        },
        Command::Completions { shell } => {
            let hosts = doctor::hosts().iter().map(|host| &*host.id).chain(["all"]).collect();
            let definition = Cli::command().mut_subcommand("doctor", |doctor| {
                doctor.mut_arg("host", |host| host.value_parser(Suggested(hosts)))
            });
            print(&packaging::completions(definition, shell))
        }
        Command::Man => print(&packaging::manual(Cli::command())),
    }
}

fn complain(text: &str) {
    note(&format!("zwave-mcp-server: {text}"));
}

/// Returns the path of this program. If the system can't tell the path (on Linux without /proc), returns the
/// path by which the program was called, provided that this path is absolute.
fn own_program() -> std::io::Result<PathBuf> {
    std::env::current_exe().or_else(|error| {
        std::env::args_os()
            .next()
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .ok_or(error)
    })
}

/// Runs a command that talks to a server. A signal ends the command and the server.
fn talk_to(options: &Options, talk: Talk) -> Result<ExitCode, Failure> {
    // Check the settings here. Otherwise, a wrong setting would only show as a server that does not start.
    let in_demo_house = talk.server().is_empty() && resolve_for_person(options)?.brokers.is_empty();
    // `list --follow` never ends by itself. A signal is its normal end.
    let status_on_signal = if matches!(talk, Talk::List { follow: true, .. }) {
        ExitStatus::Success
    } else {
        ExitStatus::Failed
    };
    let prints_table = matches!(talk, Talk::List { json: false, .. });
    let prints_sentence = matches!(talk, Talk::Control { json: false, .. });
    let program = own_program().map_err(failed)?;
    let mut target = TargetServer::new(program, options, &talk);
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        target = target.ask_at_terminal();
    }
    let mut printer = printer();
    let done = block_on(async {
        tokio::select! {
            done = commands::run(target, talk, &mut printer) => done,
            () = signals::wait_for_end(true, false) => Ok(status_on_signal),
        }
    })?;
    if let Ok(done) = done
        && in_demo_house
        && (prints_table || prints_sentence && done == ExitStatus::Failed)
    {
        note(&format!("\n{DEMO_NOTE}"));
    }
    done.map_or_else(exit_for_error, |done| Ok(done.into()))
}

/// Returns a printer on stdout and stderr. The printer formats for a terminal if stdout is a terminal.
fn printer() -> Printer<std::io::Stdout, std::io::Stderr> {
    let out = std::io::stdout();
    Printer {
        screen: Screen::of(&out),
        out,
        err: std::io::stderr(),
    }
}

/// Converts the error of a command to the program's exit code or failure.
fn exit_for_error(error: CommandError) -> Result<ExitCode, Failure> {
    match error {
        CommandError::Print(error) => exit_after_printing(Err(error)),
        error @ CommandError::Usage(_) => Err(bad_usage(error)),
        error => Err(failed(error)),
    }
}

/// Shows the house in a browser until a signal arrives.
#[cfg(feature = "view")]
fn view(options: &Options, opens_browser: bool) -> Result<ExitCode, Failure> {
    resolve_for_person(options)?;
    let program = own_program().map_err(failed)?;
    let target = TargetServer::own(program, options);
    let mut printer = printer();
    let done = block_on(async {
        let ended = CancellationToken::new();
        tokio::spawn(signals::end_on_signal(ended.clone()));
        commands::view(target, opens_browser, ended, &mut printer).await
    })?;
    done.map_or_else(exit_for_error, |()| Ok(ExitCode::SUCCESS))
}

/// Runs the command `doctor`, which checks everything that the server needs. Signals are not handled; their
/// default action ends the program.
fn run_doctor(options: &Options, as_json: bool) -> Result<ExitCode, Failure> {
    let settings = resolve(options)?;
    let entries = entries(options, &settings)?;
    // Only log if `--log-level` is given, because the report has everything important.
    let logs = options
        .has("--log-level")
        .then(|| start_logging(&settings))
        .transpose()?
        .unwrap_or_default();
    let terminal = std::io::stderr();
    let terminal = terminal.is_terminal().then_some(terminal);
    let out = std::io::stdout();
    let report = Report::new(&out, Screen::of(&out), terminal, as_json);
    let case = Case {
        brokers: settings.brokers.clone(),
        is_demo: settings.brokers.is_empty(),
        warnings: warnings(&settings),
        settings: settings.house.clone(),
        connect: |brokers: &[Broker]| settings.connect(brokers),
    };
    let examined = block_on(doctor::run(case, &entries, report));
    logs.end();
    match examined? {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(failed(error)),
        // If the report's reader closed the pipe, this is no fault.
        examined => Ok(ExitStatus::success_if(examined.unwrap_or(true)).into()),
    }
}

/// Prints the configuration entry for the host `name`, or for each host if `name` is "all". A host starts
/// this server if the entry is in its configuration.
fn print_entries(options: &Options, name: &str, as_json: bool) -> Result<ExitCode, Failure> {
    let hosts = doctor::find_hosts(name).map_err(bad_usage)?;
    let settings = resolve(options)?;
    let entries = entries(options, &settings)?;
    let text = if as_json {
        format!("{:#}", entries.json(hosts))
    } else {
        entries.listing(hosts, Screen::of(&std::io::stdout()))
    };
    print(format!("{text}\n").as_bytes())
}

fn entries(options: &Options, settings: &Settings) -> Result<Entries, Failure> {
    let folder = std::env::current_dir().map_err(failed)?;
    Ok(Entries {
        program: own_program().map_err(failed)?,
        settings: HostSettings::new(settings, options, &Sources::OF_PROCESS, &folder),
    })
}

fn resolve(options: &Options) -> Result<Settings, Failure> {
    Settings::resolve(options, &Sources::OF_PROCESS).map_err(bad_usage)
}

/// Returns a warning for each setting that is probably not what its owner wants.
fn warnings(settings: &Settings) -> Vec<String> {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    settings.warnings().into_iter().chain(warn_of_misspelt(names)).collect()
}

fn start_logging(settings: &Settings) -> Result<Logging, Failure> {
    let secrets = settings.brokers.iter().flat_map(Broker::secrets);
    let LogSettings { filter, files } = settings.logs.clone();
    let stderr = std::io::stderr();
    let logs = Logs {
        filter,
        files,
        redactor: Redactor::new(secrets),
        is_for_terminal: stderr.is_terminal(),
        has_colors: Screen::of(&stderr).colors,
    };
    Logging::start(logs).map_err(failed)
}

/// Simulates zwave-js-ui until a signal arrives.
fn simulate(options: &Options, nodes: Option<&str>, name: &str) -> Result<ExitCode, Failure> {
    let settings = resolve(options)?;
    if settings.brokers.is_empty() {
        return Err(bad_usage(
            "the command \"simulate\" needs a broker; leave --demo out",
        ));
    }
    let nodes = nodes.map(read_nodes).transpose().map_err(bad_usage)?.unwrap_or_else(demo_house);
    // This comes before the log, which would tell of two connections.
    if block_on(is_answering(&settings, name))? {
        return Err(failed(format!(
            "A gateway called {name} is already running on this broker. Give this one another name with --name."
        )));
    }
    with_logging(&settings, async {
        let bus = connect(
            settings.brokers.clone(),
            &format!("simulated-{:016x}", random()),
        );
        let count = nodes.len();
        let simulation = Sim::start(bus, settings.simulated_setup(name), nodes);
        let serve = async {
            while !simulation.state().is_connected {
                sleep(CHECK_INTERVAL).await;
            }
            let (address, prefix) = (simulation.bus.address(), &simulation.setup.prefix);
            note(&format!(
                "A simulated zwave-js-ui called \"{name}\" serves {count} nodes at {address}, under the prefix \
                 \"{prefix}\". Ctrl-C ends it and removes its messages from the broker."
            ));
            pending::<()>().await;
        };
        tokio::select! {
            () = serve => {}
            () = signals::wait_for_end(true, false) => {}
        }
        simulation.leave().await;
        Ok(ExitCode::SUCCESS)
    })
}

/// Returns true if a gateway with this name answers under the prefix within a second. A retained status alone does
/// not count, because a simulation that was killed leaves one behind.
async fn is_answering(settings: &Settings, name: &str) -> bool {
    let bus = settings.connect(&settings.brokers);
    let mut house = settings.house.clone();
    house.rules.named = vec![name.to_owned()];
    let gateways = Gateways::start(bus, house);
    let now = Instant::now();
    gateways.settle(Need::List, now, now + Duration::from_secs(1)).await;
    gateways.with_view(|view| view.gateways.iter().any(|gateway| gateway.was_read))
}

/// Starts the log, runs `work`, and ends the log.
fn with_logging(
    settings: &Settings,
    work: impl Future<Output = Result<ExitCode, Failure>>,
) -> Result<ExitCode, Failure> {
    let logs = start_logging(settings)?;
    let done = block_on(work);
    logs.end();
    done?
}

/// Reads a file with a getNodes reply, and returns its nodes for the simulation.
fn read_nodes(path: &str) -> Result<Vec<SimNode>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let nodes = text.and_then(|text| nodes_of_reply(&text).map_err(|error| error.to_string()));
    nodes.map_err(|why| format!("--nodes is \"{path}\"; it must be a getNodes reply ({why})"))
}

/// Resolves the settings of a command, and prints their warnings. Nobody sees the log of the command's server.
fn resolve_for_person(options: &Options) -> Result<Settings, Failure> {
    let settings = resolve(options)?;
    for warning in warnings(&settings) {
        complain(&warning);
    }
    Ok(settings)
}

fn serve(options: &Options, claimed: Claimed) -> Result<ExitCode, Failure> {
    let settings = resolve(options)?;
    if std::io::stdin().is_terminal() {
        note(
            "This is the MCP server: a host such as Claude Desktop starts it and speaks MCP with it. \
             Run \"zwave-mcp-server doctor\" to check your house and to get the entry for a host. \
             Run \"zwave-mcp-server --help\" to see all commands.",
        );
    }
    with_logging(&settings, async {
        for warning in warnings(&settings) {
            tracing::warn!("{warning}");
        }
        session(&settings, claimed).await
    })
}

/// Serves one session with the host.
async fn session(settings: &Settings, claimed: Claimed) -> Result<ExitCode, Failure> {
    let end = CancellationToken::new();
    let stdio = claimed
        .open(&end)
        .map_err(|error| failed(format!("can't use stdin and stdout: {error}")))?;
    tokio::spawn(signals::end_on_signal(end.clone()));
    let host_gone = end.clone();
    tokio::spawn(async move {
        host::wait_until_gone().await;
        tracing::info!("the host is gone");
        host_gone.cancel();
    });
    let policy = settings.policy;
    let bus = settings.connect(&settings.brokers);
    let gateways = Gateways::start(bus, settings.house.clone());
    // Never drop the gateways. The process ends with the session, and the system frees the memory of a large
    // house faster than we can.
    std::mem::forget(gateways.clone());
    tokio::spawn(doctor::warn_of_unmatched(gateways.clone()));
    let watch = Arc::new(stdio.watch);
    let stdin_watch = Arc::clone(&watch);
    let is_closed = Box::new(move || stdin_watch.is_closed());
    let served = tokio::select! {
        served = mcp::serve(stdio.reader, stdio.writer, is_closed, gateways, policy) => served,
        () = wait_until_drained(&end, &watch) => Ok(()),
    };
    served.map_or_else(|error| Err(failed(error)), |()| Ok(ExitCode::SUCCESS))
}

/// Waits until the session is told to end, and then for `DRAIN_TIMEOUT`. Returns earlier if the host no longer
/// reads.
async fn wait_until_drained(end: &CancellationToken, watch: &Watch) {
    end.cancelled().await;
    let limit = Instant::now() + DRAIN_TIMEOUT;
    while !watch.is_broken() && Instant::now() < limit {
        sleep(CHECK_INTERVAL).await;
    }
}
