//! Creates the router that answers sentences. The router's models, tools and servers are those in the options
//! and in environment variables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use zwave_mcp_server::assistant::search::{self, BRAVE, SearchEngine};
use zwave_mcp_server::assistant::servers::{self, NamedPrograms};
use zwave_mcp_server::assistant::{
    AiClient, AiRouter, AnthropicClient, ApiKey, HouseReader, ModelName, OllamaClient,
    OpenAiClient, Provider, ProviderSettings, RouterParts, Servers, TimerClock, Timers,
};
use zwave_mcp_server::cli::exit::{Failure, bad_usage, failed};
use zwave_mcp_server::cli::settings::{Settings, Sources};
use zwave_mcp_server::cli::{self, Options};
use zwave_mcp_server::client::local::{clock, volume};
use zwave_mcp_server::client::{Host, Limits, LocalTool, Program, Redactor, ToolExecutor};
use zwave_mcp_server::gateway::mqtt::Broker;

use crate::complain;
use crate::environment::{is_zone_known, read_key, read_variable, state_folder};
use crate::options::CommonOptions;

/// The router with everything that it uses.
pub struct Assistant {
    pub router: Arc<AiRouter>,
    /// The room in which people speak, from the option or from the server's variable.
    pub room: Option<String>,
    /// The tools that this program itself runs. [`connect`](Self::connect) moves them to the router's.
    local_tools: Vec<LocalTool>,
    /// The secrets that must not be logged.
    pub secrets: Vec<String>,
}

/// In the servers' file, a variable's value counts as a secret if it has at least this many bytes. Shorter
/// values are usually switches such as `true`.
const MIN_SECRET_BYTES: usize = 6;

/// Creates the assistant, without connecting to any server. With `keeps_timers`, it can do things later.
pub fn create_assistant(chosen: &CommonOptions, keeps_timers: bool) -> Result<Assistant, Failure> {
    let mut secrets = Vec::new();
    let (entries, house_name) = server_entries(chosen, &mut secrets)?;
    let models = [&chosen.model].into_iter().chain(&chosen.fallback).map(|model| {
        let model = model.parse().map_err(bad_usage)?;
        create_client(&model, chosen.small_model, &mut secrets)
    });
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let local_tools = create_local_tools(&mut secrets)?;
    let house = HouseReader::default();
    let redactor = Redactor::new(secrets.clone());
    let host = Host {
        redactor: redactor.clone(),
        ..Host::new("zwave-assistant", env!("CARGO_PKG_VERSION")).with_listener(house.listener())
    };
    let executor = ToolExecutor::new(Arc::default(), Limits::default(), redactor);
    let router = AiRouter {
        servers: Servers::new(entries, &host),
        parts: RouterParts {
            models,
            executor,
            house,
            language: chosen.language.clone(),
            skips_plain: chosen.no_local,
            has_small_models: chosen.small_model,
            timers: keeps_timers.then(|| open_timers(house_name)),
        },
    };
    Ok(Assistant {
        router: Arc::new(router),
        room: chosen.room.clone().or_else(|| read_variable("ZWAVE_ROOM")),
        local_tools,
        secrets,
    })
}

impl Assistant {
    /// Connects to the servers, and reports each failure on stderr. Returns as soon as this crate's own server is
    /// there, and goes on with the others in the background. Fails if no server is available, because the program
    /// can do nothing without one.
    pub async fn connect(&mut self) -> Result<(), Failure> {
        let router = Arc::clone(&self.router);
        let local_tools = std::mem::take(&mut self.local_tools);
        // A failure may quote a server's stderr, which may contain secrets.
        let redactor = Redactor::new(self.secrets.clone());
        let connecting = tokio::spawn(async move {
            let failures =
                router.servers.connect(&router.parts.executor.manager, local_tools).await;
            if !router.servers.any_ready() {
                return Err(failed(redactor.redact_text(&failures.join(" "))));
            }
            for failure in failures {
                complain(&redactor.redact_text(&failure));
            }
            Ok(())
        });
        tokio::select! {
            biased;
            connected = connecting => connected.map_err(failed)?,
            () = self.router.servers.wait_for_house() => Ok(()),
        }
    }
}

/// Returns the server's settings, whose brokers `listen` takes transcripts from. Ignores `ZWAVE_DEMO`, because
/// transcripts may come from a real broker even if the house is simulated.
pub fn settings_for_topics() -> Result<Settings, Failure> {
    let process = Sources::OF_PROCESS;
    let sources = Sources {
        env: &|name| (process.env)(name).filter(|_| name != "ZWAVE_DEMO"),
        ..process
    };
    Settings::resolve(&Options::default(), &sources).map_err(bad_usage)
}

/// Opens the timers of the house with this name. Those of a simulated house, which has none, end with the program.
fn open_timers(house: Option<String>) -> Timers {
    let clock = TimerClock::from_system(is_zone_known());
    let file = house.zip(state_folder()).map(|(house, folder)| {
        let house = utf8_percent_encode(&house, NON_ALPHANUMERIC);
        folder.join(format!("timers-{house}.json"))
    });
    let timers = Timers::open(clock, file.as_deref());
    if let Some(problem) = timers.problem() {
        complain(&format!("there are no timers: {problem}"));
    }
    timers
}

/// Returns the servers to spawn: those in the file of `--mcp-config`, or else this crate's own server. Also returns a
/// name for their house, unless the house is simulated. Adds the secrets in the servers' settings to `secrets`.
fn server_entries(
    chosen: &CommonOptions,
    secrets: &mut Vec<String>,
) -> Result<(NamedPrograms, Option<String>), Failure> {
    if let Some(path) = &chosen.mcp_config {
        let invalid = |why: String| bad_usage(format!("--mcp-config is \"{path}\": {why}"));
        let text = (Sources::OF_PROCESS.file)(path).map_err(invalid)?;
        let entries = servers::parse_entries(&text).map_err(invalid)?;
        for (_, value) in entries.iter().flat_map(|(_, program)| &program.environment) {
            let value = value.to_string_lossy();
            secrets.extend(password(&value));
            if value.len() >= MIN_SECRET_BYTES {
                secrets.push(value.into_owned());
            }
        }
        let house = std::path::absolute(path).map_err(failed)?;
        return Ok((entries, Some(house.display().to_string())));
    }
    // Check the settings before the server is spawned, so that a wrong setting is reported as bad usage.
    let mut options = Options::default();
    if chosen.demo {
        options = options.with("--demo", "1");
    }
    let settings = Settings::resolve(&options, &Sources::OF_PROCESS).map_err(bad_usage)?;
    secrets.extend(settings.brokers.iter().flat_map(Broker::secrets));
    let program = find_own_server().ok_or_else(|| {
        failed(
            "zwave-mcp-server is neither beside this program nor in PATH; install it (cargo install \
             --path .), or name other servers with --mcp-config",
        )
    })?;
    // The server sees its settings, but no model's key.
    let program = Program::new(program, chosen.demo.then_some("--demo"))
        .inherit_only(Program::BASIC_ENVIRONMENT.into_iter().chain(cli::variables()));
    let brokers: Vec<String> = settings.brokers.iter().map(Broker::address).collect();
    let house = format!("{} {}", brokers.join(","), settings.house.rules.prefix);
    let is_simulated = chosen.demo || brokers.is_empty();
    let entries = vec![("zwave".to_owned(), program)];
    Ok((entries, (!is_simulated).then_some(house)))
}

/// Finds this crate's server program: first in the folder of this program, then in `PATH`.
fn find_own_server() -> Option<PathBuf> {
    let name = format!("zwave-mcp-server{}", std::env::consts::EXE_SUFFIX);
    let this_program = std::env::current_exe().ok();
    let folder = this_program.as_deref().and_then(Path::parent);
    let path = std::env::var_os("PATH").unwrap_or_default();
    folder
        .map(Path::to_owned)
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
}

/// Returns the password in an address such as `mqtt://user:password@host`, without decoding the password. The
/// scheme may be missing.
fn password(address: &str) -> Option<String> {
    let (_, without_scheme) = address.split_once("://").unwrap_or(("", address));
    let authority = without_scheme.split('/').next()?;
    let (login, _) = authority.rsplit_once('@')?;
    let (_, password) = login.split_once(':')?;
    Some(password.to_owned())
}

/// Creates the tools that this program itself runs: clock, volume and, if it is configured, web search.
fn create_local_tools(secrets: &mut Vec<String>) -> Result<Vec<LocalTool>, Failure> {
    let mut tools = vec![
        clock::tool(clock::Now::from_system_clock),
        volume::tool(None),
    ];
    tools.extend(search_engine(secrets)?.map(search::tool));
    tools.into_iter().map(|tool| tool.map_err(failed)).collect()
}

/// Returns the search engine; `None` if no environment variable configures one.
fn search_engine(secrets: &mut Vec<String>) -> Result<Option<SearchEngine>, Failure> {
    if let Some(address) = read_variable("SEARXNG_URL") {
        secrets.extend(password(&address));
        let address = parse_web_address(&address).ok_or_else(|| {
            bad_usage("SEARXNG_URL must be an address such as http://localhost:8080")
        })?;
        return Ok(Some(SearchEngine::searxng(address)));
    }
    let Some(key) = read_key("BRAVE_API_KEY").map_err(bad_usage)? else {
        return Ok(None);
    };
    secrets.push(key.clone());
    let key = ApiKey::new(&key).ok_or_else(|| bad_usage("BRAVE_API_KEY is empty"))?;
    let address = url::Url::parse(BRAVE).map_err(failed)?;
    Ok(Some(SearchEngine::brave(address, key)))
}

fn parse_web_address(address: &str) -> Option<url::Url> {
    let url = url::Url::parse(address).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// Creates the client for a model, with the address and the key from the provider's environment variables.
/// With `must_call`, the model has to call a tool whenever exactly one is offered.
fn create_client(
    model: &ModelName,
    must_call: bool,
    secrets: &mut Vec<String>,
) -> Result<Arc<dyn AiClient>, Failure> {
    let (provider, name) = (model.provider, model.name.as_str());
    let [address_setting, key_setting] = provider.settings();
    let key = read_key(key_setting).map_err(bad_usage)?;
    secrets.extend(key.clone());
    let address = read_variable(address_setting).unwrap_or_default();
    secrets.extend(password(&address));
    let settings = ProviderSettings {
        address,
        key: key.as_deref().and_then(ApiKey::new),
        must_call,
        ..ProviderSettings::default()
    };
    Ok(match provider {
        Provider::Ollama => Arc::new(OllamaClient::new(name, settings).map_err(bad_usage)?),
        Provider::Anthropic => Arc::new(AnthropicClient::new(name, settings).map_err(bad_usage)?),
        Provider::OpenAi => Arc::new(OpenAiClient::new(name, settings).map_err(bad_usage)?),
    })
}
