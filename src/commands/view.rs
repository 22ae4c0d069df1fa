//! `view`: the house's page in a browser. This program acts as the MCP host.

use std::fs::File;
use std::future::pending;
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde_json::{Map, Value as Json, json};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::server::TargetServer;
use super::{CommandError, Printer};
use crate::cli::settings::random;
use crate::client::Era;
use crate::mcp::arguments::{CONTROL, LIST};
use crate::mcp::{HOUSE, page};
use crate::view::{ChangeCount, PageServer, Reach};

/// The tools and resources that the page may use.
const REACH: Reach = Reach {
    page: page::URI,
    tools: &[LIST, CONTROL],
    house: HOUSE,
    filtered: "zwave://devices?filter=",
};

/// Shows the house until `ended` is cancelled. Opens the system's browser if `opens_browser` is set.
pub async fn view(
    mut target: TargetServer,
    opens_browser: bool,
    ended: CancellationToken,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<(), CommandError> {
    let Printer { out, screen, err } = printer;
    let changes = ChangeCount::default();
    let counted = changes.clone();
    target.host.capabilities = capabilities();
    // In this era, a call's result contains the server's questions, so they reach the page. In older protocol
    // revisions, the server sends a question as a request, which does not reach the page.
    target.host.era = Era::Discover;
    target.host = target.host.with_listener(move |event| counted.count_event(event));
    // The person sees the page, and needs no message about waiting.
    target.is_quiet.store(true, Ordering::Relaxed);
    target
        .talk(err, async |connection| {
            let view = PageServer::bind(connection, REACH, changes).await?;
            let address = view.address();
            screen.say(out, &format!("The house is at {address}"))?;
            let once = "The address works once, for one browser. Ctrl-C ends the program.";
            screen.say(out, once)?;
            out.flush()?;
            // Removed when the view ends, because browsers may read it late.
            let redirect = opens_browser.then(|| Redirect::write(&address)).transpose();
            let opening = async {
                let opened = match &redirect {
                    Ok(None) => Ok(()),
                    Ok(Some(Redirect(file))) => {
                        let file = file.clone();
                        let opened = spawn_blocking(move || opener::open_browser(file)).await;
                        opened.map_or(Ok(()), |opened| opened.map_err(|error| error.to_string()))
                    }
                    Err(error) => Err(error.to_string()),
                };
                if let Err(why) = opened {
                    // The address is already printed, so it does no harm if this message is lost.
                    let _ = screen.say(out, &format!("No browser could be opened: {why}"));
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

/// A page that leads the browser to the one-time address. Only the owner can read this file, but everybody can read the
/// browser's arguments in the process list. Dropping the value removes the file.
struct Redirect(PathBuf);

impl Redirect {
    fn write(address: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("zwave-view-{:016x}.html", random()));
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        let mut file = options.open(&path)?;
        let redirect = Self(path);
        let to = format!("<meta http-equiv=\"refresh\" content=\"0; url={address}\">");
        writeln!(file, "<!DOCTYPE html><title>The house</title>{to}")?;
        Ok(redirect)
    }
}

impl Drop for Redirect {
    fn drop(&mut self) {
        // A file that is left behind is useless once its address was opened.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns the MCP capabilities of a host that shows pages and can ask a person.
fn capabilities() -> Map<String, Json> {
    let pages = json!({ page::EXTENSION: { "mimeTypes": [page::MIME] } });
    Map::from_iter([
        ("elicitation".to_owned(), json!({ "form": {} })),
        ("extensions".to_owned(), pages),
    ])
}
