//! Rows that run `doctor` on the house, starting at the broker.

use std::collections::BTreeMap;
use std::io::Sink;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::time::sleep;
use zwave_mcp_server::cli::settings::Sources;
use zwave_mcp_server::cli::settings::for_hosts::HostSettings;
use zwave_mcp_server::doctor::{self, Case, Entries, Report};
use zwave_mcp_server::terminal::Screen;

use crate::House;
use crate::fixture::rows::Texts;
use crate::fixture::served;

const STEPS: [&str; 11] = [
    "name", "tcp", "tls", "login", "prefix", "gateway", "driver", "devices", "guarded", "values",
    "settings",
];

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DoctorStep {
    /// The options.
    doctor: Vec<String>,
    /// Somebody plays with a switch meanwhile.
    played: bool,
    /// The step that fails; the steps after it are not looked at.
    wrong: Option<String>,
    /// Parts of `whatToDo`.
    says: Texts,
    /// Parts that must not occur in the report.
    lacks: Texts,
    /// Beginnings of steps' texts.
    texts: BTreeMap<String, String>,
    hints: Texts,
    lacks_hints: Texts,
}

impl DoctorStep {
    pub async fn check(&self, house: &House) {
        let report = if self.played {
            while_playing(house, self.examine(house)).await
        } else {
            self.examine(house).await
        };
        assert!(
            self.lacks.find(|part| report.to_string().contains(part)).is_none(),
            "{report:#}"
        );
        assert_eq!(report["failed"], json!(self.wrong), "{report:#}");
        assert_eq!(report["ok"], self.wrong.is_none(), "{report:#}");
        let steps = report["steps"].as_array().unwrap();
        let names: Vec<&Json> = steps.iter().map(|step| &step["step"]).collect();
        assert_eq!(names, STEPS);
        if let Some(wrong) = &self.wrong {
            let wrong = STEPS.iter().position(|step| step == wrong).unwrap();
            for (number, step) in steps.iter().enumerate() {
                let status = match number {
                    _ if number == wrong => "failed",
                    // A broker in memory needs none of the first four.
                    0..4 => "skipped",
                    _ if number > wrong => "skipped",
                    _ => "ok",
                };
                assert_eq!(step["status"], status, "{step}");
            }
        }
        let to_do = report["whatToDo"].as_str().unwrap_or_default();
        assert_eq!(
            self.says.find(|part| !to_do.contains(part)),
            None,
            "{to_do}"
        );
        let hints = report["hints"].to_string();
        assert_eq!(
            self.hints.find(|part| !hints.contains(part)),
            None,
            "{hints}"
        );
        assert_eq!(
            self.lacks_hints.find(|part| hints.contains(part)),
            None,
            "{hints}"
        );
        for (name, text) in &self.texts {
            let step = steps.iter().find(|step| step["step"] == **name).unwrap();
            assert!(step["text"].as_str().unwrap().starts_with(text), "{step}");
        }
    }

    async fn examine(&self, house: &House) -> Json {
        let options: Vec<&str> = self.doctor.iter().map(String::as_str).collect();
        let settings = served::settings(&options, &[]).unwrap();
        let sources = Sources {
            env: &|_| None,
            file: &|_| Err("there is none".to_owned()),
        };
        let options = served::options(&options).unwrap();
        let entries = Entries {
            program: "/zwave-mcp-server".into(),
            settings: HostSettings::new(&settings, &options, &sources, Path::new("/")),
        };
        let case = Case {
            brokers: Vec::new(),
            demo: false,
            settings: served::gateway_settings(&settings),
            connect: |_: &[_]| served::delay(house.broker.connect()),
        };
        let mut printed = Vec::new();
        let report = Report::<_, Sink>::new(&mut printed, Screen::default(), None, true);
        doctor::run(case, &entries, report).await.unwrap();
        serde_json::from_slice(&printed).unwrap()
    }
}

/// Plays with a switch until the work is done.
async fn while_playing<T>(house: &House, work: impl Future<Output = T>) -> T {
    let play = async {
        for on in [true, false].into_iter().cycle() {
            house.by_hand(3, "37-0-currentValue", json!(on));
            sleep(Duration::from_millis(300)).await;
        }
    };
    tokio::select! {
        done = work => done,
        () = play => unreachable!("it plays for ever"),
    }
}
