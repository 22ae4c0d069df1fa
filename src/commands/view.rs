//! `view`: the house's page in a browser, with this program as the host around it.

use std::future::pending;
use std::io::Write;
use std::sync::atomic::Ordering;

use serde_json::{Map, Value as Json, json};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::server::TargetServer;
use super::{CommandError, Printer};
use crate::client::Era;
use crate::mcp::arguments::{CONTROL, LIST};
use crate::mcp::{HOUSE, page};
use crate::view::{Changes, Reach, View};

/// Everything that the page needs from the server.
const REACH: Reach = Reach {
    page: page::URI,
    tools: &[LIST, CONTROL],
    house: HOUSE,
    filtered: "zwave://devices?filter=",
};

/// Shows the house until `ended`; opens the system's browser if `opens`.
pub async fn view(
    mut target: TargetServer,
    opens: bool,
    ended: CancellationToken,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<(), CommandError> {
    let Printer { out, err, .. } = printer;
    let changes = Changes::default();
    let counted = changes.clone();
    target.host.capabilities = capabilities();
    // Only in this revision a question to the person is a result, which the page's frame can show.
    target.host.era = Era::Discover;
    target.host = target.host.with_listener(move |event| counted.hear(event));
    // The person sees a page instead.
    target.quiet.store(true, Ordering::Relaxed);
    target
        .talk(err, async |connection| {
            let view = View::bind(connection, REACH, changes).await?;
            let address = view.address();
            writeln!(out, "The house is at {address}")?;
            writeln!(
                out,
                "The address lets one browser in, once. Ctrl-C ends it."
            )?;
            out.flush()?;
            let opening = async {
                let opened = spawn_blocking(move || opens.then(|| opener::open_browser(address)));
                if let Ok(Some(Err(error))) = opened.await {
                    // The address was printed, so a failure to print this costs nothing.
                    let _ = writeln!(out, "No browser could be opened: {error}");
                }
                pending::<()>().await;
            };
            tokio::select! {
                () = view.serve() => {}
                () = ended.cancelled() => {}
                () = opening => {}
            }
            Ok(())
        })
        .await
}

/// Returns the capabilities of a host that shows pages and can ask a person.
fn capabilities() -> Map<String, Json> {
    let pages = json!({ page::EXTENSION: { "mimeTypes": [page::MIME] } });
    Map::from_iter([
        ("elicitation".to_owned(), json!({ "form": {} })),
        ("extensions".to_owned(), pages),
    ])
}
