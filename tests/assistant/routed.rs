//! A router and the server of a simulated house, both in the test's process. `say` returns the writes that
//! the gateway received for a sentence, and the answer.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use simulator_testing::Simulation;
use tokio::io::duplex;
use zwave_mcp_server::assistant::{
    AiClient, AiRouter, Conversation, HouseReader, RouterParts, SentenceAnswer, Servers,
};
use zwave_mcp_server::client::{
    Host, Limits, McpSession, Redactor, ToolExecutor, ToolManager, ToolServer,
};
use zwave_mcp_server::gateway::Gateways;
use zwave_mcp_server::mcp::{Policy, serve};

use super::captured::{Write, start_gateways, writes};

/// The capacity of each pipe. Every line is shorter.
const CAPACITY: usize = 1 << 20;

/// The timeout for reading the house.
const LIMIT: Duration = Duration::from_secs(10);

/// Returns a router without servers of its own, and with nothing set.
pub fn router_of(models: Vec<Arc<dyn AiClient>>, executor: ToolExecutor) -> AiRouter {
    AiRouter {
        servers: Servers::default(),
        parts: RouterParts {
            models,
            executor,
            house: HouseReader::default(),
            language: None,
            skips_plain: false,
            has_small_models: false,
            timers: None,
        },
    }
}

pub struct RoutedHouse {
    pub router: AiRouter,
    pub simulation: Simulation,
    /// The content of the resource `zwave://devices` at the start.
    pub content: String,
}

impl RoutedHouse {
    /// Starts the captured house, with these models for sentences that are not plain commands.
    pub async fn start(models: Vec<Arc<dyn AiClient>>) -> Self {
        let (gateways, simulation) = start_gateways().await;
        let policy = Policy {
            structured: true,
            ..Policy::default()
        };
        Self::of(gateways, simulation, policy, models).await
    }

    /// Starts a server for these gateways, and a router that uses it.
    pub async fn of(
        gateways: Gateways,
        simulation: Simulation,
        policy: Policy,
        models: Vec<Arc<dyn AiClient>>,
    ) -> Self {
        let (input, reader) = duplex(CAPACITY);
        let (writer, output) = duplex(CAPACITY);
        let is_closed = Box::new(|| false);
        tokio::spawn(async move {
            serve(reader, writer, is_closed, gateways, policy).await.unwrap();
        });
        let host = Host::new("assistant", "0");
        let session = McpSession::connect(output, input, &host).await.unwrap();
        let manager = Arc::new(ToolManager::default());
        let session = Arc::new(session);
        manager.add_server(session.clone()).await.unwrap();
        let secrets = Redactor::default();
        let executor = ToolExecutor::new(manager, Limits::default(), secrets);
        // Listing the devices makes sure that the server has read the house.
        executor.call("list_zwave_devices", json!({})).await.unwrap();
        let content = session.read("zwave://devices", LIMIT).await.unwrap();
        let router = router_of(models, executor);
        Self {
            router,
            simulation,
            content,
        }
    }

    /// Returns the router and the simulated house.
    pub fn into_parts(self) -> (AiRouter, Simulation) {
        (self.router, self.simulation)
    }

    pub fn with(mut self, change: impl FnOnce(&mut RouterParts)) -> Self {
        change(&mut self.router.parts);
        self
    }

    /// Says a sentence in a new conversation, and returns the writes and the answer.
    pub async fn say(&self, sentence: &str) -> (Vec<Write>, SentenceAnswer) {
        let mut conversation = AiRouter::conversation_in(None);
        self.say_in(&mut conversation, sentence).await
    }

    pub async fn say_in(
        &self,
        conversation: &mut Conversation,
        sentence: &str,
    ) -> (Vec<Write>, SentenceAnswer) {
        let before = self.simulation.received_writes().len();
        let answer = self.router.answer(conversation, sentence, &mut |_| {}).await;
        (writes(&self.simulation, before), answer)
    }
}
