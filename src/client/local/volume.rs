//! A tool that tells or sets the machine's sound volume, through the system's own commands.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};
use tokio::process::Command;
use tracing::debug;

use super::{LocalTool, LocalToolError};

/// A command that gets and sets the volume.
struct Mixer {
    program: &'static str,
    get: &'static [&'static str],
    /// The arguments that set the volume. `{}` stands for the percentage.
    set: &'static [&'static str],
    /// Parses the output of `get` as a percentage.
    read: fn(&str) -> Option<u32>,
}

/// The mixers of `PipeWire`, `PulseAudio`, ALSA and macOS, in the order of preference.
const MIXERS: [Mixer; 4] = [
    Mixer {
        program: "wpctl",
        get: &["get-volume", "@DEFAULT_AUDIO_SINK@"],
        set: &["set-volume", "@DEFAULT_AUDIO_SINK@", "{}%"],
        // The output is "Volume: 0.40".
        read: |text| {
            let share: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
            Some((share * 100.0).round() as u32)
        },
    },
    Mixer {
        program: "pactl",
        get: &["get-sink-volume", "@DEFAULT_SINK@"],
        set: &["set-sink-volume", "@DEFAULT_SINK@", "{}%"],
        read: first_percentage,
    },
    Mixer {
        program: "amixer",
        get: &["-M", "sget", "Master"],
        set: &["-M", "sset", "Master", "{}%"],
        read: first_percentage,
    },
    Mixer {
        program: "osascript",
        get: &["-e", "output volume of (get volume settings)"],
        set: &["-e", "set volume output volume {}"],
        read: |text| text.trim().parse().ok(),
    },
];

/// Makes a tool that tells or sets the volume. The system's commands are looked up in `folder`, or in `PATH` if
/// there is no `folder`.
///
/// # Errors
/// Fails only if the tool's schema is invalid, which would be a bug here.
pub fn tool(folder: Option<PathBuf>) -> Result<LocalTool, LocalToolError> {
    LocalTool::new(
        "volume",
        "Tells the volume of this machine's sound, or sets it if a level is given.",
        json!({
            "type": "object",
            "properties": {
                "level": {
                    "type": "integer",
                    "description": "The new volume in percent, 0 to 100",
                    "minimum": 0,
                    "maximum": 100,
                },
            },
        }),
        move |arguments: Map<String, Json>| {
            let folder = folder.clone();
            async move {
                let level = arguments.get("level").and_then(Json::as_f64);
                get_or_set_volume(folder.as_deref(), level.map(|level| level as u32)).await
            }
        },
    )
}

/// Uses the first mixer that works. If none works, the error lists the failures. If no command can even be
/// started, the error lists the commands.
async fn get_or_set_volume(folder: Option<&Path>, level: Option<u32>) -> Result<String, String> {
    let mut failures = Vec::new();
    for mixer in &MIXERS {
        match mixer.get_or_set(folder, level).await {
            Ok(level) => return Ok(format!("The volume is {level} %.")),
            Err(why) => failures.extend(why.map(|why| format!("{}: {why}", mixer.program))),
        }
    }
    if failures.is_empty() {
        let programs = MIXERS.each_ref().map(|mixer| mixer.program).join(", ");
        return Err(format!(
            "This machine has no command for the volume; one of {programs} is needed."
        ));
    }
    let failures = failures.join("; ");
    Err(format!("The volume can't be reached ({failures})."))
}

impl Mixer {
    /// Sets the volume if a level is given. Returns the volume. There is no error text if the command can't be
    /// started.
    async fn get_or_set(
        &self,
        folder: Option<&Path>,
        level: Option<u32>,
    ) -> Result<u32, Option<String>> {
        if let Some(level) = level {
            self.run(folder, self.set, &level.to_string()).await?;
        }
        // `get` contains no `{}`, so the level is not used.
        let output = self.run(folder, self.get, "").await?;
        (self.read)(&output).ok_or_else(|| Some(format!("unexpected answer {:?}", output.trim())))
    }

    /// Runs the command, with `level` in place of `{}`, and returns stdout. There is no error text if the command
    /// can't be started.
    async fn run(
        &self,
        folder: Option<&Path>,
        arguments: &[&str],
        level: &str,
    ) -> Result<String, Option<String>> {
        let program =
            folder.map_or_else(|| self.program.into(), |folder| folder.join(self.program));
        let mut command = Command::new(program);
        command.args(arguments.iter().map(|argument| argument.replace("{}", level)));
        let output = command.kill_on_drop(true).output().await.map_err(|error| {
            debug!(program = self.program, %error, "not used for the volume");
            None
        })?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        let first_line = stderr.trim().lines().next();
        Err(Some(
            first_line.map_or_else(|| output.status.to_string(), str::to_owned),
        ))
    }
}

fn first_percentage(text: &str) -> Option<u32> {
    let before = text.split_once('%')?.0;
    let start = before.trim_end_matches(|character: char| character.is_ascii_digit());
    before.strip_prefix(start)?.parse().ok()
}
