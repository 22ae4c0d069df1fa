//! The server's side of the MCP session.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation,
    InputResponses, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value as Json, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::error;

use super::consent::{Person, Questions};
use super::control::{self, ControlResult, audit, control};
use super::list::list;
use super::resources::Resources;
use super::{arguments, page, tools, wording};
use crate::gateway::Gateways;
use crate::home::bounds;
use crate::home::decide::RefusalReason;
use crate::home::guard::Guard;
use crate::home::outcome::Certainty;

/// Where a result says how sure it is.
const CERTAINTY: &str = "zwave-mcp-server/certainty";

/// Where a result says what each device said before it was changed.
const BEFORE: &str = "zwave-mcp-server/before";

/// Where a result says in a word why nothing was done or found.
const REFUSAL: &str = "zwave-mcp-server/refusal";

/// What the owner of the house decided about the tools.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policy {
    /// `control_zwave_device` is not offered.
    pub read_only: bool,
    /// What is done about unlocking and opening.
    pub guard: Guard,
    /// Results carry `structuredContent`, and the tools an `outputSchema`.
    pub structured: bool,
}

/// One host's session.
#[derive(Clone)]
pub struct Handler {
    gateways: Gateways,
    policy: Policy,
    questions: Questions,
    resources: Resources,
    ended: CancellationToken,
}

impl Handler {
    /// A session that ends when the host has closed its side.
    pub fn new(gateways: Gateways, policy: Policy, ended: CancellationToken) -> Self {
        Self {
            resources: Resources::new(gateways.clone(), ended.clone()),
            ended,
            gateways,
            policy,
            questions: Questions::default(),
        }
    }

    async fn list(&self, sent: Option<Map<String, Json>>) -> CallToolResult {
        let arguments = match arguments::list(sent) {
            Ok(arguments) => arguments,
            Err(error) => {
                let mut result = self.result(wording::argument(&error), true, None);
                result.meta = meta(None, Some((&error).into()));
                return result;
            }
        };
        self.gateways.settle_for_list().await;
        let structured = self.policy.structured;
        let answer = self
            .gateways
            .look(|view| list(view, &arguments, structured));
        let mut result = self.result(answer.text, answer.is_error, answer.structured);
        result.meta = meta(None, answer.refusal);
        result
    }

    async fn control(
        &self,
        sent: Option<Map<String, Json>>,
        said: Option<(String, InputResponses)>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let started = Instant::now();
        let (heard, read) = arguments::heard(sent);
        let person = Person {
            context: &context,
            has_session: session(&context).is_some(),
            questions: &self.questions,
            said,
            ended: &self.ended,
        };
        let result = match read {
            Ok(arguments) => control(&self.gateways, self.policy.guard, &person, &arguments).await,
            Err(error) => {
                let guard = self.policy.guard;
                ControlResult::Answer(control::mistaken(&self.gateways, guard, &heard, &error))
            }
        };
        audit(&heard, &result, started.elapsed());
        let answer = match result {
            ControlResult::Answer(answer) => answer,
            ControlResult::Asked(result) => return (*result).into(),
        };
        let structured = self.policy.structured.then(|| answer.structured());
        let before = answer.before();
        let mut result = self.result(answer.text, answer.is_error, structured);
        result.meta = meta(Some(answer.certainty), answer.refusal);
        if let (Some(meta), Some(before)) = (&mut result.meta, before) {
            meta.insert(BEFORE.to_owned(), before);
        }
        result.into()
    }

    fn result(&self, text: String, is_error: bool, structured: Option<Json>) -> CallToolResult {
        let content = vec![ContentBlock::text(bounds::within(text, bounds::ANSWER))];
        if is_error {
            return CallToolResult::error(content);
        }
        let mut result = CallToolResult::success(content);
        result.structured_content = structured.filter(|_| self.policy.structured);
        result
    }
}

/// The host, where the request's revision has sessions: then the server may ask and notify it without
/// a stream. Since 2026-07-28 there are none.
fn session(context: &RequestContext<RoleServer>) -> Option<&Peer<RoleServer>> {
    let version = context.protocol_version();
    let has_session = version.is_none_or(|version| version.has_initialize());
    has_session.then_some(&context.peer)
}

/// What a result says to programs; none where that is nothing.
fn meta(certainty: Option<Certainty>, refusal: Option<RefusalReason>) -> Option<MetaObject> {
    let mut meta = MetaObject::new();
    if let Some(certainty) = certainty {
        meta.insert(CERTAINTY.to_owned(), json!(certainty.name()));
    }
    if let Some(refusal) = refusal {
        meta.insert(REFUSAL.to_owned(), json!(refusal.name()));
    }
    (certainty.is_some() || refusal.is_some()).then_some(meta)
}

/// Works in a task of its own: a panic in it becomes an error, and the session lives on.
async fn unbroken<T: Send + 'static>(
    work: impl Future<Output = Result<T, ErrorData>> + Send + 'static,
) -> Result<T, ErrorData> {
    tokio::spawn(work).await.unwrap_or_else(|broken| {
        error!(%broken, "a request broke");
        Err(ErrorData::internal_error(wording::BROKEN_REQUEST, None))
    })
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let instructions = if self.policy.read_only {
            wording::READ_ONLY_INSTRUCTIONS
        } else {
            wording::INSTRUCTIONS
        };
        info.instructions = Some(instructions.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = tools::offered(self.policy.read_only, self.policy.structured);
        if page::is_shown(&context) {
            tools = page::beside(tools);
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = tools::offered(self.policy.read_only, self.policy.structured);
        tools.into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let handler = self.clone();
        let sent = request.arguments;
        let said = request.request_state;
        let said = said.map(|state| (state, request.input_responses.unwrap_or_default()));
        // A task of its own: a panic in it becomes an answer, and the session lives on.
        let call = match &*request.name {
            arguments::LIST => tokio::spawn(async move { handler.list(sent).await.into() }),
            arguments::CONTROL if !self.policy.read_only => {
                tokio::spawn(async move { handler.control(sent, said, context).await })
            }
            unknown => {
                let text = wording::unknown_tool(unknown, self.policy.read_only);
                return Err(ErrorData::invalid_params(text, None));
            }
        };
        let result = call.await.unwrap_or_else(|broken| {
            error!(%broken, tool = %request.name, "a tool call broke");
            let mut result = CallToolResult::error(vec![ContentBlock::text(wording::BROKEN)]);
            result.meta = meta(Some(Certainty::Unknown), Some(RefusalReason::Failed));
            result.into()
        });
        Ok(result)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.resources.clone();
        let cursor = request.as_ref().and_then(|request| request.cursor.as_ref());
        let shows_page = cursor.is_none() && page::is_shown(&context);
        let listed = unbroken(async move { resources.list(request, session(&context)).await });
        let mut listed = listed.await?;
        listed.resources.extend(shows_page.then(page::listed));
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(Resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri == page::URI {
            return Ok(page::content(self.policy.read_only, self.policy.guard).into());
        }
        let resources = self.resources.clone();
        let read = unbroken(async move { resources.read(&request.uri, session(&context)).await });
        Ok(read.await?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let resources = self.resources.clone();
        unbroken(async move { resources.subscribe(&request.uri, &context.peer).await }).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let resources = self.resources.clone();
        // In a task like its subscription, which must come first.
        unbroken(async move {
            resources.unsubscribe(&request.uri);
            Ok(())
        })
        .await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(Resources::accepted(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let resources = self.resources.clone();
        unbroken(async move { resources.listen(&context).await }).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The library's own answer is the method, however long it is.
        let text = wording::unknown_method(&request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let resources = self.resources.clone();
        unbroken(async move { resources.complete(&request).await }).await
    }
}
