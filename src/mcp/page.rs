//! The house as a page, for hosts that show a server's own pages (MCP Apps, 2026-01-26).
//!
//! The page is a single HTML document. It talks only to the host: it reads the house as a resource, and calls
//! the two tools.

use rmcp::RoleServer;
use rmcp::model::{JsonObject, MetaObject, ReadResourceResult, Resource, ResourceContents, Tool};
use rmcp::service::RequestContext;
use serde_json::{Value as Json, json};

use crate::home::guard::Guard;

/// The page's URI.
pub const URI: &str = "ui://zwave/house";

/// The MIME type of a page, as the extension defines it.
pub const MIME: &str = "text/html;profile=mcp-app";

/// The extension with which a host declares that it shows pages.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// The page, with a placeholder for the owner's settings.
const TEMPLATE: &str = concat!(
    include_str!("page/head.html"),
    "<style>\n",
    include_str!("page/style.css"),
    "</style>\n</head>\n",
    include_str!("page/body.html"),
    "<script type=\"module\">\n",
    include_str!("page/host.js"),
    include_str!("page/labels.js"),
    include_str!("page/context.js"),
    include_str!("page/pictures.js"),
    include_str!("page/certainty.js"),
    include_str!("page/controls.js"),
    include_str!("page/cards.js"),
    include_str!("page/rooms.js"),
    include_str!("page/glance.js"),
    include_str!("page/filter.js"),
    include_str!("page/live.js"),
    "</script>\n</body>\n</html>\n",
);

/// Returns the page with the owner's settings, and without indentation and line comments.
pub fn html(read_only: bool, guard: Guard) -> String {
    let controls = if read_only { "none" } else { "all" };
    let guard = guard.name();
    let settings = format!("data-controls=\"{controls}\" data-guard=\"{guard}\"");
    let lines = TEMPLATE.lines().map(str::trim_start);
    let page: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    page.join("\n").replacen("{{stamp}}", &settings, 1)
}

/// Returns true if the host of a request shows pages. The host declares this once for its session or, since
/// 2026-07-28, with each request.
pub fn is_supported_by(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let types = capabilities
        .and_then(|capabilities| capabilities.extensions)
        .and_then(|mut extensions| extensions.remove(EXTENSION))
        .and_then(|mut settings| settings.remove("mimeTypes"));
    let Some(Json::Array(types)) = types else {
        return false;
    };
    types.iter().any(|shown| shown == MIME)
}

/// Returns the page, for `resources/read`.
pub fn content(read_only: bool, guard: Guard) -> ReadResourceResult {
    let content = ResourceContents::text(html(read_only, guard), URI)
        .with_mime_type(MIME)
        .with_meta(requirements());
    ReadResourceResult::new(vec![content])
}

/// Returns the page's entry in `resources/list`.
pub fn resource() -> Resource {
    Resource::new(URI, "house")
        .with_title("The Z-Wave house")
        .with_description("All devices of the house as a page, with their controls.")
        .with_mime_type(MIME)
        .with_meta(requirements())
}

/// Links each tool to the page.
pub fn attach_to(tools: Vec<Tool>) -> Vec<Tool> {
    let page = json!({ "resourceUri": URI, "visibility": ["model", "app"] });
    let with_page = |tool: Tool| tool.with_meta(ui(page.clone()));
    tools.into_iter().map(with_page).collect()
}

/// Returns the page's requirements: no access to any other origin, and a border.
fn requirements() -> MetaObject {
    ui(json!({
        "csp": {
            "connectDomains": [],
            "resourceDomains": [],
            "frameDomains": [],
            "baseUriDomains": [],
        },
        "prefersBorder": true,
    }))
}

fn ui(content: Json) -> MetaObject {
    MetaObject(JsonObject::from_iter([("ui".to_owned(), content)]))
}
