//! Runs `doctor` on a row's house and checks the report, as one step of the row. The checks that `doctor`
//! makes are also called steps.

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

const DOCTOR_STEPS: [&str; 11] = [
    "name", "tcp", "tls", "login", "prefix", "gateway", "driver", "devices", "guarded", "values",
    "settings",
];

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DoctorStep {
    /// The command-line options.
    doctor: Vec<String>,
    /// Somebody toggles a switch while `doctor` runs.
    played: bool,
    /// The step of `doctor` that must fail. The later steps must be skipped.
    wrong: Option<String>,
    /// Parts that `whatToDo` in the report must contain.
    says: Texts,
    /// Parts that the report must not contain.
    lacks: Texts,
    /// How the text of a step of `doctor` must begin, by the step's name.
    texts: BTreeMap<String, String>,
    /// Parts that the hints must contain.
    hints: Texts,
    /// Parts that the hints must not contain.
    lacks_hints: Texts,
}

impl DoctorStep {
    pub async fn check(&self, house: &House) {
        let report = if self.played {
            run_while_toggling(house, self.examine(house)).await
        } else {
            self.examine(house).await
        };
        assert_texts(&report.to_string(), &Texts::None, &self.lacks);
        assert_eq!(report["failed"], json!(self.wrong), "{report:#}");
        assert_eq!(report["ok"], self.wrong.is_none(), "{report:#}");
        let steps = report["steps"].as_array().unwrap();
        let names: Vec<&Json> = steps.iter().map(|step| &step["step"]).collect();
        assert_eq!(names, DOCTOR_STEPS);
        if let Some(wrong) = &self.wrong {
            let wrong_index = DOCTOR_STEPS.iter().position(|step| step == wrong).unwrap();
            for (index, step) in steps.iter().enumerate() {
                // The first four steps are skipped, because a broker in memory has no address.
                let status = if index == wrong_index {
                    "failed"
                } else if index < 4 || index > wrong_index {
                    "skipped"
                } else {
                    "ok"
                };
                assert_eq!(step["status"], status, "{step}");
            }
        }
        let to_do = report["whatToDo"].as_str().unwrap_or_default();
        assert_texts(to_do, &self.says, &Texts::None);
        assert_texts(&report["hints"].to_string(), &self.hints, &self.lacks_hints);
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
            is_demo: false,
            warnings: Vec::new(),
            settings: served::gateway_settings(&settings),
            connect: |_: &[_]| served::delay(house.broker.connect()),
        };
        let mut printed = Vec::new();
        let report = Report::<_, Sink>::new(&mut printed, Screen::default(), None, true);
        doctor::run(case, &entries, report).await.unwrap();
        serde_json::from_slice(&printed).unwrap()
    }
}

fn assert_texts(text: &str, has: &Texts, lacks: &Texts) {
    assert_eq!(has.find(|part| !text.contains(part)), None, "{text}");
    assert_eq!(lacks.find(|part| text.contains(part)), None, "{text}");
}

/// Toggles a switch until the work is done.
async fn run_while_toggling<T>(house: &House, work: impl Future<Output = T>) -> T {
    let toggle = async {
        for on in [true, false].into_iter().cycle() {
            house.by_hand(3, "37-0-currentValue", json!(on));
            sleep(Duration::from_millis(300)).await;
        }
    };
    tokio::select! {
        output = work => output,
        () = toggle => unreachable!("the switch is toggled forever"),
    }
}
