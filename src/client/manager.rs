//! The tools that a host offers to its model: from any number of servers, and of its own.

use std::collections::HashMap;
use std::fmt;
use std::ptr::from_ref;
use std::sync::{Arc, PoisonError, RwLock};

use tracing::warn;

use super::error::ClientError;
use super::formats::names::offered_name;
use super::local::{Function, LocalTool};
use super::tool::Tool;
use super::tool_server::ToolServer;

/// An ordered list of tools. A name that comes twice is logged as a warning, and the later tool takes
/// the place of the earlier.
///
/// Readers get a snapshot: nobody waits while the list is read or a server is asked.
#[derive(Default)]
pub struct ToolManager {
    registry: RwLock<Arc<Registry>>,
}

/// A tool, and its source.
pub(super) struct RegisteredTool {
    /// The name under which it is offered, which is unique.
    offered: String,
    pub(super) tool: Tool,
    pub(super) source: ToolSource,
}

#[derive(Clone)]
pub(super) enum ToolSource {
    Server(Arc<dyn ToolServer>),
    Local(Function),
}

impl RegisteredTool {
    fn new(tool: Tool, source: ToolSource) -> Arc<Self> {
        let offered = offered_name(&tool.name).into_owned();
        Arc::new(Self {
            offered,
            tool,
            source,
        })
    }
}

impl ToolSource {
    fn is_server(&self, server: &dyn ToolServer) -> bool {
        let address = from_ref(server).cast::<()>();
        matches!(self, Self::Server(own) if Arc::as_ptr(own).cast::<()>() == address)
    }
}

/// Tools in order, and the place of each by the name under which it is offered.
#[derive(Clone, Default)]
struct Registry {
    tools: Vec<Arc<RegisteredTool>>,
    places: HashMap<String, usize>,
}

impl Registry {
    /// Finds the tool that is offered under this name.
    fn find_offered(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(*self.places.get(name)?)
    }

    /// Finds the tool with this own name.
    fn find_own(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        let entry = self.find_offered(&offered_name(name))?;
        (entry.tool.name == name).then_some(entry)
    }

    /// Adds a tool, and returns the one that it replaces.
    fn add(&mut self, new: Arc<RegisteredTool>) -> Option<Arc<RegisteredTool>> {
        if let Some(place) = self.places.get(&new.offered) {
            let before = self.tools.get_mut(*place)?;
            return Some(std::mem::replace(before, new));
        }
        self.places.insert(new.offered.clone(), self.tools.len());
        self.tools.push(new);
        None
    }

    fn retain(&mut self, is_kept: impl Fn(&RegisteredTool) -> bool) {
        self.tools.retain(|entry| is_kept(entry));
        self.places = self.tools.iter().map(|entry| entry.offered.clone()).zip(0..).collect();
    }
}

impl ToolManager {
    /// Asks a server for its tools, adds them, and returns how many there are. The tools of a server that was
    /// asked before are replaced.
    ///
    /// # Errors
    /// The server does not list them; then the list stays as it was.
    pub async fn add_server(&self, server: Arc<dyn ToolServer>) -> Result<usize, ClientError> {
        let mut new = Registry::default();
        for tool in server.tools().await? {
            let source = ToolSource::Server(Arc::clone(&server));
            let replaced = new.add(RegisteredTool::new(tool, source));
            replaced.as_deref().into_iter().for_each(warn_of_duplicate);
        }
        let count = new.tools.len();
        let replaced: Vec<_> = self.change(|registry| {
            registry.retain(|entry| {
                !entry.source.is_server(&*server) || new.places.contains_key(&entry.offered)
            });
            new.tools.into_iter().filter_map(|entry| registry.add(entry)).collect()
        });
        for entry in replaced {
            if !entry.source.is_server(&*server) {
                warn_of_duplicate(&entry);
            }
        }
        Ok(count)
    }

    /// Adds a tool of the host's own.
    pub fn add_local(&self, tool: LocalTool) {
        let LocalTool { tool, function } = tool;
        let entry = RegisteredTool::new(tool, ToolSource::Local(function));
        let replaced = self.change(|registry| registry.add(entry));
        replaced.as_deref().into_iter().for_each(warn_of_duplicate);
    }

    /// Removes the tool with this own name, and returns it.
    pub fn remove(&self, name: &str) -> Option<Tool> {
        self.change(|registry| {
            let removed = Arc::clone(registry.find_own(name)?);
            registry.retain(|entry| entry.offered != removed.offered);
            Some(removed.tool.clone())
        })
    }

    /// Removes a server's tools, and returns how many it had.
    pub fn remove_server(&self, server: &dyn ToolServer) -> usize {
        self.change(|registry| {
            let before = registry.tools.len();
            registry.retain(|entry| !entry.source.is_server(server));
            before - registry.tools.len()
        })
    }

    /// Returns every tool, in order and as it came.
    pub fn tools(&self) -> Vec<Tool> {
        let registry = self.registry();
        registry.tools.iter().map(|entry| entry.tool.clone()).collect()
    }

    /// Finds a tool by the name under which it is [offered](super::formats::offered_name), or by its own.
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.find_entry(name).map(|entry| entry.tool.clone())
    }

    /// Returns the server that has the tool of this name; `None` for a local one.
    pub fn server_of(&self, name: &str) -> Option<Arc<dyn ToolServer>> {
        match &self.find_entry(name)?.source {
            ToolSource::Server(server) => Some(Arc::clone(server)),
            ToolSource::Local(_) => None,
        }
    }

    pub(super) fn find_entry(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        let registry = self.registry();
        let entry = registry.find_offered(name).or_else(|| registry.find_own(name));
        entry.cloned()
    }

    /// Returns the first names under which tools are offered, and how many more there are.
    pub(super) fn first_names(&self, max: usize) -> (Vec<String>, usize) {
        let registry = self.registry();
        let names = registry.tools.iter().take(max).map(|entry| entry.offered.clone()).collect();
        (names, registry.tools.len().saturating_sub(max))
    }

    fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.registry.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        let mut registry = self.registry.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut registry))
    }
}

fn warn_of_duplicate(replaced: &RegisteredTool) {
    let tool = &replaced.tool.name;
    warn!(tool, "a tool's name comes twice; the later one stands");
}

impl fmt::Debug for ToolManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = self.registry();
        let names = registry.tools.iter().map(|entry| &entry.tool.name);
        f.debug_list().entries(names).finish()
    }
}
