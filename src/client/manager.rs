//! The tools that a host offers to its model: those of any number of servers, and the host's own.

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

/// An ordered list of tools. If two tools have the same name, a warning is logged, and the later tool takes
/// the place of the earlier.
///
/// Readers get a snapshot, so nothing waits while the list is read or a server lists its tools.
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
        // Compares addresses only, because one server may have several vtables.
        let address = from_ref(server).cast::<()>();
        matches!(self, Self::Server(own) if Arc::as_ptr(own).cast::<()>() == address)
    }
}

#[derive(Clone, Default)]
struct Registry {
    /// The tools, in order.
    tools: Vec<Arc<RegisteredTool>>,
    /// The index of each tool by the name under which it is offered.
    indices: HashMap<String, usize>,
}

impl Registry {
    /// Finds the tool that is offered under this name.
    fn find_offered(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(*self.indices.get(name)?)
    }

    /// Finds the tool that has this name at its source.
    fn find_own(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        let entry = self.find_offered(&offered_name(name))?;
        (entry.tool.name == name).then_some(entry)
    }

    /// Adds a tool, and returns the one that it replaces.
    fn add(&mut self, new: Arc<RegisteredTool>) -> Option<Arc<RegisteredTool>> {
        if let Some(index) = self.indices.get(&new.offered) {
            // Every index is valid, so this never returns early.
            let replaced = self.tools.get_mut(*index)?;
            return Some(std::mem::replace(replaced, new));
        }
        self.indices.insert(new.offered.clone(), self.tools.len());
        self.tools.push(new);
        None
    }

    fn retain(&mut self, is_kept: impl Fn(&RegisteredTool) -> bool) {
        self.tools.retain(|entry| is_kept(entry));
        self.indices = self.tools.iter().map(|entry| entry.offered.clone()).zip(0..).collect();
    }
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
            let replaced = new.add(RegisteredTool::new(tool, source));
            replaced.as_deref().into_iter().for_each(warn_of_duplicate);
        }
        let count = new.tools.len();
        let replaced: Vec<_> = self.change(|registry| {
            // A tool that the server still has keeps its place.
            registry.retain(|entry| {
                !entry.source.is_server(&*server) || new.indices.contains_key(&entry.offered)
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

    /// Adds one of the host's own tools.
    pub fn add_local(&self, tool: LocalTool) {
        let LocalTool { tool, function } = tool;
        let entry = RegisteredTool::new(tool, ToolSource::Local(function));
        let replaced = self.change(|registry| registry.add(entry));
        replaced.as_deref().into_iter().for_each(warn_of_duplicate);
    }

    /// Removes the tool that has this name at its source, and returns it.
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

    /// Returns all tools in order, each with its name at its source.
    pub fn tools(&self) -> Vec<Tool> {
        let registry = self.registry();
        registry.tools.iter().map(|entry| entry.tool.clone()).collect()
    }

    /// Finds a tool by the name under which it is [offered](super::formats::offered_name), or by its name at
    /// its source.
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.find_entry(name).map(|entry| entry.tool.clone())
    }

    /// Returns the server of the tool with this name; `None` for a local or unknown tool.
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

    /// Returns the first names under which tools are offered, and the number of further names.
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
