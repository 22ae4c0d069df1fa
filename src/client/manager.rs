//! The tools that a host offers to its model: those of any number of servers, and the host's own.
//!
//! A tool has the name that its source (a server, or the host itself) gave it, and a name under which it is
//! offered. Usually both are the same. But the APIs of models would reject the name `files/read`, so this tool is
//! offered under a name that consists of `files_read_` and eight digits.

use std::fmt;
use std::ptr::from_ref;
use std::sync::{Arc, PoisonError, RwLock};

use indexmap::IndexMap;
use tracing::warn;

use super::error::ClientError;
use super::formats::names::offered_name;
use super::local::{Function, LocalTool};
use super::tool::Tool;
use super::tool_server::ToolServer;

/// An ordered list of tools. If two tools have the same name, a warning is logged, and the later tool takes
/// the place of the earlier.
///
/// A change does not affect a list that was read before, so changes do not wait for readers. While a server
/// lists its tools, the manager's list can be read and changed.
#[derive(Default)]
pub struct ToolManager {
    registry: RwLock<Arc<Registry>>,
}

/// The tools in order. The keys are the names under which the tools are offered.
type Registry = IndexMap<String, Arc<RegisteredTool>>;

pub(super) struct RegisteredTool {
    pub(super) tool: Tool,
    pub(super) source: ToolSource,
}

pub(super) enum ToolSource {
    Server(Arc<dyn ToolServer>),
    Local(Function),
}

impl ToolSource {
    fn is_server(&self, server: &dyn ToolServer) -> bool {
        // Compares addresses without vtables, because one server may have several vtables.
        let address = from_ref(server).cast::<()>();
        matches!(self, Self::Server(source) if Arc::as_ptr(source).cast::<()>() == address)
    }
}

/// Adds a tool, and returns the tool that it replaces, if any.
fn add(registry: &mut Registry, tool: Tool, source: ToolSource) -> Option<Arc<RegisteredTool>> {
    let offered = offered_name(&tool.name).into_owned();
    registry.insert(offered, Arc::new(RegisteredTool { tool, source }))
}

/// Finds a tool by the name that its source gave it.
fn find_by_source_name<'a>(registry: &'a Registry, name: &str) -> Option<&'a Arc<RegisteredTool>> {
    let entry = registry.get(&*offered_name(name))?;
    (entry.tool.name == name).then_some(entry)
}

impl ToolManager {
    /// Lists a server's tools, adds them, and returns their number. If the server was added before, replaces
    /// its earlier tools.
    ///
    /// # Errors
    /// The server's tools can't be listed. Then the manager's tools do not change.
    pub async fn add_server(&self, server: Arc<dyn ToolServer>) -> Result<usize, ClientError> {
        let mut new = Registry::default();
        for tool in server.tools().await? {
            let source = ToolSource::Server(Arc::clone(&server));
            add(&mut new, tool, source).as_deref().map(warn_of_duplicate);
        }
        let count = new.len();
        let replaced: Vec<_> = self.change(|registry| {
            // A tool keeps its place in the list if the server still has the tool.
            registry.retain(|offered, entry| {
                !entry.source.is_server(&*server) || new.contains_key(offered)
            });
            new.into_iter()
                .filter_map(|(offered, entry)| registry.insert(offered, entry))
                .collect()
        });
        let duplicates = replaced.iter().filter(|entry| !entry.source.is_server(&*server));
        duplicates.for_each(|entry| warn_of_duplicate(entry));
        Ok(count)
    }

    /// Adds one of the host's own tools.
    pub fn add_local(&self, tool: LocalTool) {
        let LocalTool { tool, function } = tool;
        let replaced = self.change(|registry| add(registry, tool, ToolSource::Local(function)));
        replaced.as_deref().map(warn_of_duplicate);
    }

    /// Removes a tool by the name that its source gave it. Returns the tool.
    pub fn remove(&self, name: &str) -> Option<Tool> {
        self.change(|registry| {
            find_by_source_name(registry, name)?;
            let removed = registry.shift_remove(&*offered_name(name))?;
            Some(removed.tool.clone())
        })
    }

    /// Removes a server's tools, and returns their number.
    pub fn remove_server(&self, server: &dyn ToolServer) -> usize {
        self.change(|registry| {
            let before = registry.len();
            registry.retain(|_, entry| !entry.source.is_server(server));
            before - registry.len()
        })
    }

    /// Returns all tools in order, each with the name that its source gave it.
    pub fn tools(&self) -> Vec<Tool> {
        self.registry().values().map(|entry| entry.tool.clone()).collect()
    }

    /// Finds a tool by the name under which it is [offered](super::formats::offered_name), or by the name that
    /// its source gave it.
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.find_entry(name).map(|entry| entry.tool.clone())
    }

    /// Returns the server of the tool with this name; `None` for a tool of the host, or an unknown tool.
    pub fn server_of(&self, name: &str) -> Option<Arc<dyn ToolServer>> {
        match &self.find_entry(name)?.source {
            ToolSource::Server(server) => Some(Arc::clone(server)),
            ToolSource::Local(_) => None,
        }
    }

    pub(super) fn find_entry(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        let registry = self.registry();
        registry.get(name).or_else(|| find_by_source_name(&registry, name)).cloned()
    }

    /// Returns the first names under which tools are offered, at most `max`, and the number of further names.
    pub(super) fn first_names(&self, max: usize) -> (Vec<String>, usize) {
        let registry = self.registry();
        let names = registry.keys().take(max).cloned().collect();
        (names, registry.len().saturating_sub(max))
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
    warn!(tool, "two tools have the same name; the later one is used");
}

impl fmt::Debug for ToolManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = self.registry();
        let names = registry.values().map(|entry| &entry.tool.name);
        f.debug_list().entries(names).finish()
    }
}
