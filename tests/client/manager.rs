//! The list of tools from several servers and the host.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::client::formats::offered_name;
use zwave_mcp_server::client::{
    AnswerFuture, ClientError, LocalTool, Tool, ToolManager, ToolResult, ToolServer,
};

use crate::fixture::Log;
use crate::support::{assert_logged_once, tool};

/// A server with fixed tools, each of which returns the server's name.
struct Fixed {
    name: &'static str,
    tools: Mutex<Vec<Tool>>,
    is_gone: bool,
}

impl Fixed {
    fn new(name: &'static str, tools: &[&str]) -> Arc<Self> {
        let tools = tools.iter().map(|name| tool(name, json!({ "type": "object" })));
        Arc::new(Self {
            name,
            tools: Mutex::new(tools.collect()),
            is_gone: false,
        })
    }
}

impl ToolServer for Fixed {
    fn tools(&self) -> AnswerFuture<'_, Vec<Tool>> {
        Box::pin(async {
            if self.is_gone {
                let why = "gone".to_owned();
                return Err(ClientError::Unreachable { why });
            }
            Ok(self.tools.lock().unwrap().clone())
        })
    }

    fn call_with_meta<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Json>,
        _: Map<String, Json>,
        _: Duration,
    ) -> AnswerFuture<'a, ToolResult> {
        Box::pin(async { Ok(ToolResult::text(self.name)) })
    }
}

fn local_tool(name: &str) -> LocalTool {
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
async fn tools_of_several_servers_and_the_host_are_kept_in_order_and_unchanged() {
    let manager = ToolManager::default();
    assert!(manager.tools().is_empty());
    manager.add_local(local_tool("own"));
    manager.add_server(Fixed::new("one", &["b", "a"])).await.unwrap();
    manager.add_server(Fixed::new("two", &["c"])).await.unwrap();
    assert_eq!(names(&manager), ["own", "b", "a", "c"]);
    assert_eq!(
        manager.find("a").unwrap(),
        tool("a", json!({ "type": "object" }))
    );
    assert!(manager.find("d").is_none());
}

#[tokio::test]
async fn a_duplicate_name_logs_a_warning_and_the_later_tool_wins() {
    for (both_on_one_server, later) in [(false, "The host's own."), (true, "The later one.")] {
        let (log, _guard) = Log::start();
        let manager = ToolManager::default();
        if both_on_one_server {
            let server = Fixed::new("one", &["a", "b", "a"]);
            server.tools.lock().unwrap()[2].description = later.to_owned();
            assert_eq!(manager.add_server(server).await.unwrap(), 2);
        } else {
            let server = Fixed::new("one", &["a", "b"]);
            manager.add_server(server).await.unwrap();
            manager.add_local(local_tool("a"));
        }
        assert_eq!(names(&manager), ["a", "b"]);
        assert_eq!(manager.find("a").unwrap().description, later);
        let warning = assert_logged_once(&log, "two tools have the same name");
        assert!(warning.contains("WARN") && warning.contains("tool=\"a\""));
    }
}

#[tokio::test]
async fn adding_a_server_again_replaces_its_tools_without_a_warning() {
    let (log, _guard) = Log::start();
    let manager = ToolManager::default();
    let server = Fixed::new("one", &["a", "b"]);
    manager.add_server(server.clone()).await.unwrap();
    manager.add_local(local_tool("own"));
    *server.tools.lock().unwrap() = vec![tool("b", json!({})), tool("c", json!({}))];
    manager.add_server(server).await.unwrap();
    assert_eq!(names(&manager), ["b", "own", "c"]);
    assert!(log.lines_with("have the same name").is_empty());
}

#[tokio::test]
async fn a_tool_is_found_by_its_offered_name_and_by_its_original_name() {
    let manager = ToolManager::default();
    let originals = ["files/read.all", "x.y", "x/y", "x_y", "", "x_y_1a8b9f01"];
    manager.add_server(Fixed::new("one", &originals)).await.unwrap();
    for name in originals {
        let offered = offered_name(name);
        assert_eq!(manager.find(&offered).unwrap().name, name, "{offered}");
        assert_eq!(manager.find(name).unwrap().name, name);
    }
    // The offered name of "x.y" still finds "x.y", even if a tool of server "two" has that very name.
    let offered = offered_name("x.y").into_owned();
    manager.add_server(Fixed::new("two", &[&offered])).await.unwrap();
    assert_eq!(manager.find(&offered).unwrap().name, "x.y");
    assert_eq!(manager.find(&offered_name(&offered)).unwrap().name, offered);
}

#[tokio::test]
async fn a_single_tool_or_all_tools_of_a_server_can_be_removed() {
    let manager = ToolManager::default();
    let (one, two) = (Fixed::new("one", &["a", "b/c"]), Fixed::new("two", &["d"]));
    manager.add_server(one.clone()).await.unwrap();
    manager.add_local(local_tool("own"));
    manager.add_server(two.clone()).await.unwrap();
    assert_eq!(manager.remove("b/c").unwrap().name, "b/c");
    assert!(manager.remove("b/c").is_none() && manager.find("b/c").is_none());
    assert_eq!(names(&manager), ["a", "own", "d"]);
    assert_eq!(manager.find("d").unwrap().name, "d");
    assert_eq!(manager.remove_server(&*one), 1);
    assert_eq!(manager.remove_server(&*one), 0);
    assert_eq!(names(&manager), ["own", "d"]);
    manager.add_local(local_tool("e"));
    assert_eq!(manager.remove_server(&*two), 1);
    assert_eq!(names(&manager), ["own", "e"]);
    assert_eq!(manager.find("e").unwrap().name, "e");
}

/// Returns this thread's CPU time in nanoseconds. Some systems count it in steps of 4 ms.
#[cfg(target_os = "linux")]
fn processor_time() -> u64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    times.split(' ').next().unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn adding_tools_takes_linear_time() {
    let time_adding = async |count: usize| {
        let names: Vec<String> = (0..count).map(|number| format!("tool/{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let server = Fixed::new("many", &names);
        let manager = ToolManager::default();
        let start = processor_time();
        manager.add_server(server.clone()).await.unwrap();
        manager.add_server(server).await.unwrap();
        for number in 0..count {
            manager.add_local(local_tool(&format!("own{number}")));
        }
        assert_eq!(manager.tools().len(), 2 * count);
        processor_time() - start
    };
    let (short, long) = (time_adding(4_000).await, time_adding(32_000).await);
    // `long` is about 8 times `short` if the time is linear, and 64 times if it is quadratic.
    assert!(long < short * 32, "{short} ns, {long} ns");
}

#[tokio::test]
async fn a_server_that_fails_to_list_its_tools_leaves_the_list_unchanged() {
    let manager = ToolManager::default();
    manager.add_local(local_tool("own"));
    let dead = Fixed {
        name: "dead",
        tools: Mutex::default(),
        is_gone: true,
    };
    assert!(manager.add_server(Arc::new(dead)).await.is_err());
    assert_eq!(names(&manager), ["own"]);
}
