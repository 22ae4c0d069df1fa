//! The tools a host offers to its model, from any number of servers and of its own.

use std::sync::{Arc, PoisonError, RwLock};

use tracing::warn;

use super::error::ClientError;
use super::formats::anthropic;
use super::local::{Function, LocalTool};
use super::tool::Tool;
use super::tool_server::ToolServer;

/// An ordered list of tools. A name that comes twice is logged as a warning, and the later tool
/// stands, in the place of the earlier.
#[derive(Default)]
pub struct ToolManager {
    entries: RwLock<Vec<RegisteredTool>>,
}

/// A tool, and who runs it.
#[derive(Clone)]
pub(super) struct RegisteredTool {
    pub(super) tool: Tool,
    pub(super) source: ToolSource,
}

#[derive(Clone)]
pub(super) enum ToolSource {
    Server(Arc<dyn ToolServer>),
    Local(Function),
}

impl ToolSource {
    fn is(&self, server: &Arc<dyn ToolServer>) -> bool {
        let address = |server: &Arc<dyn ToolServer>| Arc::as_ptr(server).cast::<()>();
        matches!(self, Self::Server(own) if address(own) == address(server))
    }
}

impl ToolManager {
    /// Asks a server for its tools and adds them, and returns how many there are. For a server that
    /// was asked before, what it has now replaces what it had.
    ///
    /// # Errors
    /// Where the server does not tell; the list stays as it was then.
    pub async fn add_server(&self, server: Arc<dyn ToolServer>) -> Result<usize, ClientError> {
        let tools = server.tools().await?;
        let count = tools.len();
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| {
            let still = |tool: &Tool| tool.name == entry.tool.name;
            !entry.source.is(&server) || tools.iter().any(still)
        });
        for tool in tools {
            let source = ToolSource::Server(Arc::clone(&server));
            add(&mut entries, RegisteredTool { tool, source });
        }
        Ok(count)
    }

    /// Adds a tool of the host's own.
    pub fn add_local(&self, tool: LocalTool) {
        let LocalTool { tool, function } = tool;
        let source = ToolSource::Local(function);
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        add(&mut entries, RegisteredTool { tool, source });
    }

    /// Every tool, in order and as it came.
    pub fn tools(&self) -> Vec<Tool> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.iter().map(|entry| entry.tool.clone()).collect()
    }

    /// The tool of this name, or the one that was offered under this name because its own is not
    /// accepted everywhere.
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.entry(name).map(|entry| entry.tool)
    }

    pub(super) fn entry(&self, name: &str) -> Option<RegisteredTool> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let own = entries.iter().find(|entry| entry.tool.name == name);
        let offered = || {
            let mut offered = entries
                .iter()
                .filter(|entry| anthropic::accepted_name(&entry.tool.name) == name);
            offered.next().filter(|_| offered.next().is_none())
        };
        own.or_else(offered).cloned()
    }
}

fn add(entries: &mut Vec<RegisteredTool>, new: RegisteredTool) {
    let before = entries
        .iter_mut()
        .find(|entry| entry.tool.name == new.tool.name);
    let Some(entry) = before else {
        entries.push(new);
        return;
    };
    let again = matches!(&new.source, ToolSource::Server(server) if entry.source.is(server));
    if !again {
        warn!(
            tool = new.tool.name,
            "a tool's name comes twice; the later one stands"
        );
    }
    *entry = new;
}
