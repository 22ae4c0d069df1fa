//! `list` and `control`: the server, spawned and spoken to as a host would, for people and scripts.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use rmcp::model::CallToolResult;
use serde_json::{Map, Value as Json, json};

use crate::cli::Options;
use crate::client::{ClientError, Program, Server};
use crate::mcp::tools;

/// How long the handshake may take.
const START: Duration = Duration::from_secs(10);

/// How long a call may take: longer than any setting lets the server take.
const CALL: Duration = Duration::from_secs(300);

/// Why a command failed.
#[derive(Debug)]
pub enum CommandError {
    /// Between this process and the server it spawned.
    Client(ClientError),
    /// Printing failed.
    Print(io::Error),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(error) => error.fmt(f),
            Self::Print(error) => write!(f, "can't print: {error}"),
        }
    }
}

impl std::error::Error for CommandError {}

impl From<ClientError> for CommandError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::Print(error)
    }
}

/// Prints the devices; false where the tool failed.
pub async fn list(
    program: PathBuf,
    options: &Options,
    filter: &str,
    all: bool,
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let arguments = json!({ "filter": filter, "includeInactive": all });
    let result = call(program, options, tools::LIST, arguments).await?;
    if as_json {
        return print_json(&result, out);
    }
    let failed = result.is_error == Some(true);
    let devices = result
        .structured_content
        .as_ref()
        .and_then(|content| content.get("devices")?.as_array())
        .filter(|devices| !devices.is_empty() && !failed);
    let text = text_of(&result);
    match devices {
        Some(devices) => {
            // The table says the same as the text below its first line.
            writeln!(out, "{}\n", text.lines().next().unwrap_or_default())?;
            table(devices, out)?;
        }
        None => writeln!(out, "{text}")?,
    }
    Ok(!failed)
}

/// What a person typed after the device's name.
pub struct Typed {
    /// The device.
    pub name: String,
    /// The action.
    pub action: String,
    /// Whatever the action needs: a level, a mode or a color.
    pub level: Option<String>,
}

/// Controls a device and prints what became of it; false where the tool failed.
pub async fn control(
    program: PathBuf,
    options: &Options,
    typed: Typed,
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let belongs_to = match typed.action.to_lowercase().as_str() {
        "set_mode" | "mode" => "mode",
        "set_color" | "color" => "color",
        _ => "level",
    };
    let mut arguments = Map::new();
    arguments.insert("deviceName".to_owned(), typed.name.into());
    arguments.insert("action".to_owned(), typed.action.into());
    if let Some(level) = typed.level {
        arguments.insert(belongs_to.to_owned(), level.into());
    }
    let result = call(program, options, tools::CONTROL, Json::Object(arguments)).await?;
    if as_json {
        return print_json(&result, out);
    }
    writeln!(out, "{}", text_of(&result))?;
    Ok(result.is_error != Some(true))
}

async fn call(
    program: PathBuf,
    options: &Options,
    tool: &str,
    arguments: Json,
) -> Result<CallToolResult, CommandError> {
    let mut options = options.clone();
    options.structured = true;
    let server = Program {
        path: program.into_os_string(),
        arguments: options.arguments().into_iter().map(Into::into).collect(),
        environment: Vec::new(),
    };
    let Json::Object(arguments) = arguments else {
        return Err(ClientError::Broken("arguments must be an object".to_owned()).into());
    };
    let server = Server::start(&server, START).await?;
    let result = server.call(tool, arguments, CALL).await;
    server.close().await;
    Ok(result?)
}

fn text_of(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    let texts: Vec<&str> = texts.map(|text| text.text.as_str()).collect();
    texts.join("\n")
}

/// The structured content; an error as an object with its text.
fn print_json(result: &CallToolResult, out: &mut impl Write) -> Result<bool, CommandError> {
    let failed = result.is_error == Some(true);
    let certainty = result.meta.as_ref().and_then(|meta| {
        let certainty = meta.get("zwave-mcp-server/certainty")?;
        Some(certainty.clone())
    });
    let json = match &result.structured_content {
        Some(content) => content.clone(),
        None => json!({ "error": text_of(result), "certainty": certainty }),
    };
    writeln!(out, "{json:#}")?;
    Ok(!failed)
}

/// Devices in columns: room, name, kind, state.
fn table(devices: &[Json], out: &mut impl Write) -> io::Result<()> {
    let field = |device: &Json, name: &str| {
        let text = device.get(name).and_then(Json::as_str);
        text.unwrap_or_default().to_owned()
    };
    let heading = ["ROOM", "NAME", "KIND", "STATE"].map(str::to_owned);
    let rows = devices.iter().map(|device| {
        let flag = |name| device.get(name).and_then(Json::as_bool);
        let battery = device.get("lowBattery").and_then(Json::as_u64);
        let silence = device.get("silentFor").and_then(Json::as_str);
        let state = [
            Some(field(device, "state")).filter(|state| !state.is_empty()),
            (flag("responding") == Some(false)).then(|| "not responding".to_owned()),
            (flag("asleep") == Some(true)).then(|| "asleep".to_owned()),
            battery.map(|battery| format!("battery {battery} %")),
            silence.map(|time| format!("not heard of for {time}")),
        ];
        let state: Vec<String> = state.into_iter().flatten().collect();
        let state = state.join(", ");
        [
            field(device, "room"),
            field(device, "name"),
            field(device, "kind"),
            state,
        ]
    });
    let rows: Vec<[String; 4]> = std::iter::once(heading).chain(rows).collect();
    let width = |column: fn(&[String; 4]) -> &String| {
        let widths = rows.iter().map(|row| column(row).chars().count());
        widths.max().unwrap_or_default()
    };
    let (room, name, kind) = (
        width(|[room, ..]| room),
        width(|[_, name, ..]| name),
        width(|[_, _, kind, _]| kind),
    );
    for [own_room, own_name, own_kind, state] in &rows {
        let line = format!("{own_room:room$}  {own_name:name$}  {own_kind:kind$}  {state}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
