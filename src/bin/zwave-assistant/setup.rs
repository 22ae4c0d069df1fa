//! Makes a router with its models, tools and servers from options and environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use zwave_mcp_server::assistant::search::{self, BRAVE, SearchEngine};
use zwave_mcp_server::assistant::servers;
use zwave_mcp_server::assistant::{
    AiClient, AiRouter, AnthropicClient, ApiKey, HouseReader, ModelName, OllamaClient,
    OpenAiClient, Provider, ProviderSettings, RouterLimits, ServerEntry, Servers,
};
use zwave_mcp_server::cli::Options;
use zwave_mcp_server::cli::exit::{Failure, bad_usage, failed};
use zwave_mcp_server::cli::settings::{BrokerSettings, Settings, Sources};
use zwave_mcp_server::client::local::{clock, volume};
use zwave_mcp_server::client::{Host, Limits, LocalTool, Redactor, ToolExecutor, ToolManager};

use crate::complain;
use crate::environment::{harmless_variables, key, own_server_variables, variable};
use crate::options::Chosen;

/// The parts of the program.
pub struct Assistant {
    /// The router, which answers.
    pub router: Arc<AiRouter>,
    /// The tools, also of servers that come later.
    manager: Arc<ToolManager>,
    /// The tools of the machine itself, which come after those of the servers.
    local: Vec<LocalTool>,
    /// The secrets that must not be logged.
    pub secrets: Vec<String>,
}

/// This crate's server, beside this program or where the system looks for programs.
const SERVER: &str = "zwave-mcp-server";

/// The minimum length of a server's variable that counts as a secret, in bytes: shorter ones are
/// switches such as `true`.
const MIN_SECRET: usize = 6;

/// Puts everything together. Nothing is spawned or connected to yet.
pub fn assistant(chosen: &Chosen) -> Result<Assistant, Failure> {
    let mut secrets = Vec::new();
    let entries = entries(chosen, &mut secrets)?;
    let models = [&chosen.model].into_iter().chain(&chosen.fallback).map(|model| {
        let model = model.parse().map_err(bad_usage)?;
        client(&model, chosen.small_model, &mut secrets)
    });
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let manager = Arc::new(ToolManager::default());
    let local = local_tools(&mut secrets)?;
    let house = HouseReader::default();
    let host =
        Host::new("zwave-assistant", env!("CARGO_PKG_VERSION")).with_listener(house.listener());
    let executor = ToolExecutor::new(
        Arc::clone(&manager),
        Limits::default(),
        Redactor::new(secrets.clone()),
    );
    let mut router = AiRouter::new(
        models,
        Servers::new(entries, &host),
        Arc::clone(&manager),
        executor,
        RouterLimits::default(),
    )
    .with_house(house);
    if let Some(language) = &chosen.language {
        router = router.in_language(language);
    }
    if chosen.no_local {
        router = router.without_plain_commands();
    }
    if chosen.small_model {
        router = router.for_small_models();
    }
    Ok(Assistant {
        router: Arc::new(router),
        manager,
        local,
        secrets,
    })
}

impl Assistant {
    /// Connects to the servers, and reports each missing one on stderr. Fails if none is there, because
    /// the program can do nothing then.
    pub async fn connect(&mut self) -> Result<(), Failure> {
        let missing = self.router.servers().connect(&self.manager).await;
        // Providers cut long lists at their ends.
        for tool in self.local.drain(..) {
            self.manager.add_local(tool);
        }
        // The reason may contain a server's stderr.
        let redactor = Redactor::new(self.secrets.clone());
        let missing: Vec<String> = missing.iter().map(|why| redactor.redact_text(why)).collect();
        if self.router.servers().any_alive() {
            for trouble in missing {
                complain(&trouble);
            }
            return Ok(());
        }
        Err(failed(missing.join(" ")))
    }
}

/// Returns the brokers of this crate's server, even if the house is the demo.
pub fn brokers() -> Result<Vec<BrokerSettings>, Failure> {
    let process = Sources::OF_PROCESS;
    let sources = Sources {
        env: &|name| (process.env)(name).filter(|_| name != "ZWAVE_DEMO"),
        ..process
    };
    let settings = Settings::resolve(&Options::default(), &sources);
    Ok(settings.map_err(bad_usage)?.brokers)
}

/// Returns the servers to spawn.
fn entries(chosen: &Chosen, secrets: &mut Vec<String>) -> Result<Vec<ServerEntry>, Failure> {
    if let Some(path) = &chosen.mcp_config {
        let wrong = |why: String| bad_usage(format!("--mcp-config is \"{path}\": {why}"));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let seen = harmless_variables();
        let entries = servers::entries(&text, &seen).map_err(wrong)?;
        let set = entries.iter().flat_map(|entry| &entry.program.environment);
        for (_, value) in set.filter(|variable| !seen.contains(variable)) {
            let value = value.to_string_lossy();
            secrets.extend(password(&value));
            if value.len() >= MIN_SECRET {
                secrets.push(value.into_owned());
            }
        }
        return Ok(entries);
    }
    // A mistake is reported here, and not by a server that does not start.
    let options = Options {
        demo: chosen.demo,
        ..Options::default()
    };
    let settings = Settings::resolve(&options, &Sources::OF_PROCESS).map_err(bad_usage)?;
    secrets.extend(settings.brokers.iter().flat_map(BrokerSettings::secrets));
    let program = our_server().ok_or_else(|| {
        failed(
            "zwave-mcp-server is neither beside this program nor in PATH; install it (cargo install \
             --path .), or name other servers with --mcp-config",
        )
    })?;
    let arguments = chosen.demo.then(|| "--demo".into()).into_iter().collect();
    let entry = ServerEntry::new("zwave", program, arguments, own_server_variables());
    Ok(vec![entry])
}

fn our_server() -> Option<PathBuf> {
    let name = format!("{SERVER}{}", std::env::consts::EXE_SUFFIX);
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

/// Returns the password in an address, with or without a scheme, as it is written there.
fn password(address: &str) -> Option<String> {
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let authority = rest.split('/').next()?;
    let (login, _) = authority.rsplit_once('@')?;
    let (_, password) = login.split_once(':')?;
    Some(password.to_owned())
}

/// Makes the tools of the machine itself.
fn local_tools(secrets: &mut Vec<String>) -> Result<Vec<LocalTool>, Failure> {
    let mut tools = vec![clock::tool(clock::Now::of_the_machine), volume::tool(None)];
    if let Some(engine) = search_engine(secrets)? {
        tools.push(search::tool(engine));
    }
    tools.into_iter().map(|tool| tool.map_err(failed)).collect()
}

/// Returns the search engine; `None` if nothing is set.
fn search_engine(secrets: &mut Vec<String>) -> Result<Option<SearchEngine>, Failure> {
    if let Some(address) = variable("SEARXNG_URL") {
        secrets.extend(password(&address));
        let address = web(&address).ok_or_else(|| {
            bad_usage("SEARXNG_URL must be an address such as http://localhost:8080")
        })?;
        return Ok(Some(SearchEngine::SearXng { address }));
    }
    let Some(key) = key("BRAVE_API_KEY").map_err(bad_usage)? else {
        return Ok(None);
    };
    secrets.push(key.clone());
    let key = ApiKey::new(&key).ok_or_else(|| bad_usage("BRAVE_API_KEY is empty"))?;
    let address = url::Url::parse(BRAVE).map_err(failed)?;
    Ok(Some(SearchEngine::Brave { address, key }))
}

fn web(address: &str) -> Option<url::Url> {
    let url = url::Url::parse(address).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// Makes the client of a model, with the address and the key in its variables.
fn client(
    model: &ModelName,
    must_call: bool,
    secrets: &mut Vec<String>,
) -> Result<Arc<dyn AiClient>, Failure> {
    let (provider, name) = (model.provider, model.name.as_str());
    let key = key(provider.key_setting()).map_err(bad_usage)?;
    secrets.extend(key.clone());
    let address = variable(provider.address_setting()).unwrap_or_default();
    secrets.extend(password(&address));
    let settings = ProviderSettings {
        address,
        key: key.as_deref().and_then(ApiKey::new),
        must_call,
        ..ProviderSettings::default()
    };
    let client: Result<Arc<dyn AiClient>, _> = match provider {
        Provider::Ollama => OllamaClient::new(name, settings).map(|one| Arc::new(one) as _),
        Provider::Anthropic => AnthropicClient::new(name, settings).map(|one| Arc::new(one) as _),
        Provider::OpenAi => OpenAiClient::new(name, settings).map(|one| Arc::new(one) as _),
    };
    client.map_err(bad_usage)
}
