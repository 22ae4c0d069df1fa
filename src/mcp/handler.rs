//! Handles the requests of one MCP session. Each request that reads or controls the house runs in its own task,
//! so that a panic fails this request and not the session.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, Implementation, InputResponses, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value as Json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::error;

use super::consent::topic::TopicQuestions;
use super::consent::{Person, Questions};
use super::control::{answer_mistake, audit, control};
use super::list::{ListAnswer, list};
use super::resources::Resources;
use super::{arguments, page, structured, tools, wording};
use crate::gateway::{Gateways, Need};
use crate::home::bounds;
use crate::home::decide::{ROOM, SAID};
use crate::home::guard::Guard;
use crate::home::intent::Action;
use crate::home::outcome::{Certainty, RefusalReason, ResultFacts};

/// The owner's settings for the tools.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policy {
    /// True if `control_zwave_device` is not offered.
    pub read_only: bool,
    /// The guard for unlocking and opening.
    pub guard: Guard,
    /// True if people are asked on the topic even if the host can ask.
    pub prefers_topic: bool,
    /// True if results have `structuredContent`, and tools have an `outputSchema`.
    pub structured: bool,
}

/// One host's session.
#[derive(Clone)]
pub struct Handler {
    gateways: Gateways,
    policy: Policy,
    questions: Questions,
    topic: Option<TopicQuestions>,
    resources: Resources,
    ended: CancellationToken,
}

impl Handler {
    /// Makes the handler of a session. `ended` is cancelled when the host disconnects.
    pub fn new(gateways: Gateways, policy: Policy, ended: CancellationToken) -> Self {
        let asks = policy.guard == Guard::Confirm && gateways.question_topic().is_some();
        Self {
            topic: asks.then(|| TopicQuestions::new(gateways.clone(), ended.clone())),
            resources: Resources::new(gateways.clone(), policy.guard, ended.clone()),
            ended,
            gateways,
            policy,
            questions: Questions::default(),
        }
    }

    async fn list(
        &self,
        arguments: Option<Map<String, Json>>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        let answer = match arguments::read_list(arguments) {
            Ok(mut arguments) => {
                arguments.asker = text_in_meta(&context, ROOM);
                self.gateways.settle_for_list(Need::List).await;
                let structured = self.policy.structured;
                self.gateways.with_view(|view| list(view, &arguments, structured))
            }
            Err(error) => {
                let text = wording::describe_mistake(&error, &Action::ALL);
                ListAnswer::error(text, (&error).into())
            }
        };
        let meta = to_meta(&ResultFacts {
            reason: answer.refusal,
            ..ResultFacts::default()
        });
        tool_result(answer.text, answer.is_error, answer.structured, meta)
    }

    async fn control(
        &self,
        arguments: Option<Map<String, Json>>,
        answers: Option<(String, InputResponses)>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let started = Instant::now();
        let (call, mut arguments) = arguments::read_control(arguments);
        if let Ok(arguments) = &mut arguments {
            arguments.said = text_in_meta(&context, SAID);
            arguments.asker = text_in_meta(&context, ROOM);
        }
        let caller = text_in_meta(&context, ROOM).unwrap_or_default();
        let person = Person {
            context: &context,
            has_session: session_peer(&context).is_some(),
            questions: &self.questions,
            topic: self.topic.as_ref(),
            prefers_topic: self.policy.prefers_topic,
            caller: &caller,
            answers,
            ended: &self.ended,
        };
        let (gateways, guard) = (&self.gateways, self.policy.guard);
        let result = match arguments {
            Ok(arguments) => control(gateways, guard, &person, &arguments).await,
            Err(error) => Ok(answer_mistake(gateways, guard, &call, &error)),
        };
        audit(&call, &result, started.elapsed());
        let answer = match result {
            Ok(answer) => answer,
            Err(result) => return (*result).into(),
        };
        let structured = self.policy.structured.then(|| answer.to_structured());
        let meta = to_meta(&answer.facts());
        let is_error = answer.refusal.is_some();
        tool_result(answer.text, is_error, structured, meta).into()
    }

    /// Runs a request about resources in its own task. Answers a panic with an internal error.
    async fn with_resources<T, F>(
        &self,
        request: impl FnOnce(Resources) -> F,
    ) -> Result<T, ErrorData>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, ErrorData>> + Send + 'static,
    {
        let answer = tokio::spawn(request(self.resources.clone()));
        answer.await.unwrap_or_else(|join_error| {
            error!(broken = %join_error, "a request panicked");
            Err(ErrorData::internal_error(wording::BROKEN_REQUEST, None))
        })
    }
}

/// Returns a text in a request's `_meta`.
fn text_in_meta(context: &RequestContext<RoleServer>, name: &str) -> Option<String> {
    context.meta.get(name).and_then(Json::as_str).map(str::to_owned)
}

/// Makes the result of a tool call. An error has no structured content.
fn tool_result(
    text: String,
    is_error: bool,
    structured: Option<Json>,
    meta: Option<MetaObject>,
) -> CallToolResult {
    let content = vec![ContentBlock::text(bounds::truncate(text, bounds::ANSWER))];
    let mut result = if is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = structured.filter(|_| !is_error);
    result.meta = meta;
    result
}

/// Returns the peer if the request's protocol revision has sessions, as revisions before 2026-07-28 do. Only
/// then can the server send requests, or send notifications outside a stream.
fn session_peer(context: &RequestContext<RoleServer>) -> Option<&Peer<RoleServer>> {
    let version = context.protocol_version();
    let has_session = version.is_none_or(|version| version.has_initialize());
    has_session.then_some(&context.peer)
}

/// Makes the `_meta` of a result. Returns `None` if there are no facts.
fn to_meta(facts: &ResultFacts) -> Option<MetaObject> {
    let Json::Object(facts) = structured::json(facts) else {
        return None;
    };
    (!facts.is_empty()).then(|| MetaObject(facts))
}

/// Checks the cursor of a list that has only one page, and so gives no cursor.
fn check_single_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor).filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => Err(ErrorData::invalid_params(
            wording::unknown_cursor(&cursor),
            None,
        )),
        None => Ok(()),
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
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
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        check_single_page(request)?;
        let mut tools = tools::list_tools(self.policy.read_only, self.policy.structured);
        if page::is_supported_by(&context) {
            tools = page::attach_to(tools);
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = tools::list_tools(self.policy.read_only, self.policy.structured);
        tools.into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let handler = self.clone();
        let arguments = request.arguments;
        let state = request.request_state;
        let answers = state.map(|state| (state, request.input_responses.unwrap_or_default()));
        let call = match &*request.name {
            arguments::LIST => {
                tokio::spawn(async move { handler.list(arguments, context).await.into() })
            }
            arguments::CONTROL if !self.policy.read_only => {
                tokio::spawn(async move { handler.control(arguments, answers, context).await })
            }
            unknown => {
                let text = wording::unknown_tool(unknown, self.policy.read_only);
                return Err(ErrorData::invalid_params(text, None));
            }
        };
        let result = call.await.unwrap_or_else(|join_error| {
            error!(broken = %join_error, tool = %request.name, "a tool call panicked");
            let mut result = CallToolResult::error(vec![ContentBlock::text(wording::BROKEN)]);
            result.meta = to_meta(&ResultFacts {
                certainty: Some(Certainty::Unknown),
                reason: Some(RefusalReason::Failed),
                ..ResultFacts::default()
            });
            result.into()
        });
        Ok(result)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.as_ref().and_then(|request| request.cursor.as_ref());
        let shows_page = cursor.is_none() && page::is_supported_by(&context);
        let list = self.with_resources(|resources| async move {
            resources.list(request, session_peer(&context)).await
        });
        let mut listed = list.await?;
        listed.resources.extend(shows_page.then(page::resource));
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        check_single_page(request)?;
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
        let read = self.with_resources(|resources| async move {
            resources.read(&request.uri, session_peer(&context)).await
        });
        Ok(read.await?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.with_resources(|resources| async move {
            resources.subscribe(&request.uri, &context.peer).await
        })
        .await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Runs in a task, as `subscribe` does. Otherwise it could overtake an earlier subscription.
        self.with_resources(|resources| async move {
            resources.unsubscribe(&request.uri).await;
            Ok(())
        })
        .await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(Resources::accept_filter(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.with_resources(|resources| async move { resources.listen(&context).await })
            .await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        // rmcp's own answer would be an empty list, although no prompts are declared.
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp's own answer would repeat the method's name in full, even if the name is very long.
        let text = wording::unknown_method(&request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None))
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }
}
