//! The list of tools, from several servers and the host's own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::client::{
    Answering, ClientError, LocalTool, Tool, ToolManager, ToolResult, ToolServer,
};

use crate::support::{Log, tool};

/// A server with these tools, whose results name it.
struct Fixed {
    name: &'static str,
    tools: Mutex<Vec<Tool>>,
}

impl Fixed {
    fn new(name: &'static str, tools: &[&str]) -> Arc<Self> {
        let tools = tools
            .iter()
            .map(|name| tool(name, json!({ "type": "object" })));
        let tools = Mutex::new(tools.collect());
        Arc::new(Self { name, tools })
    }
}

impl ToolServer for Fixed {
    fn tools(&self) -> Answering<'_, Vec<Tool>> {
        Box::pin(async { Ok(self.tools.lock().unwrap().clone()) })
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Json>,
        _: Duration,
    ) -> Answering<'a, ToolResult> {
        Box::pin(async { Ok(ToolResult::text(self.name)) })
    }
}

fn local(name: &str) -> LocalTool {
    let schema = json!({ "type": "object", "properties": {} });
    LocalTool::new(name, "The host's own.", schema, |_| async {
        Ok(String::new())
    })
    .unwrap()
}

fn names(manager: &ToolManager) -> Vec<String> {
    manager.tools().into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn tools_of_several_servers_and_of_the_host_are_kept_in_order_and_handed_out_as_they_are() {
    let manager = ToolManager::default();
    assert!(manager.tools().is_empty());
    manager.add_local(local("own"));
    manager
        .add_server(Fixed::new("one", &["b", "a"]))
        .await
        .unwrap();
    manager.add_server(Fixed::new("two", &["c"])).await.unwrap();
    assert_eq!(names(&manager), ["own", "b", "a", "c"]);
    assert_eq!(
        manager.find("a").unwrap(),
        tool("a", json!({ "type": "object" }))
    );
    assert!(manager.find("d").is_none());
}

#[tokio::test]
async fn a_name_that_comes_twice_is_warned_of_and_the_later_one_stands() {
    let (log, _guard) = Log::start();
    let manager = ToolManager::default();
    manager
        .add_server(Fixed::new("one", &["a", "b"]))
        .await
        .unwrap();
    manager.add_local(local("a"));
    assert_eq!(names(&manager), ["a", "b"]);
    assert_eq!(manager.find("a").unwrap().description, "The host's own.");
    let warned = log.with("a tool's name comes twice");
    assert_eq!(warned.len(), 1);
    assert!(
        warned[0].contains("WARN") && warned[0].contains("tool=\"a\""),
        "{warned:?}"
    );
}

#[tokio::test]
async fn a_server_that_is_asked_again_replaces_its_own_tools_without_a_warning() {
    let (log, _guard) = Log::start();
    let manager = ToolManager::default();
    let server = Fixed::new("one", &["a", "b"]);
    manager.add_server(server.clone()).await.unwrap();
    manager.add_local(local("own"));
    *server.tools.lock().unwrap() = vec![tool("b", json!({})), tool("c", json!({}))];
    manager.add_server(server).await.unwrap();
    assert_eq!(names(&manager), ["b", "own", "c"]);
    assert!(log.with("comes twice").is_empty());
}

#[tokio::test]
async fn a_tool_is_found_by_the_name_that_a_model_was_told() {
    let manager = ToolManager::default();
    manager
        .add_server(Fixed::new("one", &["files/read.all", "x.y", "x/y"]))
        .await
        .unwrap();
    assert_eq!(
        manager.find("files_read_all").unwrap().name,
        "files/read.all"
    );
    assert!(manager.find("x_y").is_none(), "two could be meant");
}

#[tokio::test]
async fn a_server_that_does_not_tell_leaves_the_list_as_it_was() {
    struct Dead;
    impl ToolServer for Dead {
        fn tools(&self) -> Answering<'_, Vec<Tool>> {
            Box::pin(async { Err(ClientError::Unreachable { why: "gone".into() }) })
        }

        fn call<'a>(
            &'a self,
            _: &'a str,
            _: Map<String, Json>,
            _: Duration,
        ) -> Answering<'a, ToolResult> {
            Box::pin(async { Err(ClientError::Unreachable { why: "gone".into() }) })
        }
    }
    let manager = ToolManager::default();
    manager.add_local(local("own"));
    assert!(manager.add_server(Arc::new(Dead)).await.is_err());
    assert_eq!(names(&manager), ["own"]);
}
