//! The files for Home Assistant and Node-RED, which show the server's questions and answer them.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::Value as Json;
use yaml_rust2::{Yaml, YamlLoader};

use crate::pages::page;

/// The members of the server's messages. Tests of the server check that it sends these.
const MEMBERS: [&str; 7] = [
    "action", "device", "expires", "id", "question", "sentence", "state",
];

/// Returns the members that a text reads from a message, which is called `message` there.
fn members_read<'a>(text: &'a str, message: &str) -> BTreeSet<&'a str> {
    let pattern = Regex::new(&format!(r"\b{message}\.(\w+)")).unwrap();
    pattern
        .captures_iter(text)
        .map(|found| found.get(1).unwrap().as_str())
        .collect()
}

fn assert_reads(text: &str, message: &str, wanted: &[&str]) {
    let read = members_read(text, message);
    assert!(
        read.iter().all(|member| MEMBERS.contains(member)),
        "{read:?}"
    );
    assert!(
        wanted.iter().all(|member| read.contains(member)),
        "{read:?}"
    );
}

#[test]
fn home_assistant_s_automations_show_answer_and_withdraw_a_question() {
    let text = page("packaging/home-assistant-confirm.yaml").text;
    assert_reads(
        &text,
        r"trigger\.payload_json",
        &["id", "question", "device", "state", "sentence"],
    );
    let documents = YamlLoader::load_from_str(&text).unwrap();
    let automations = documents[0]["automation"].as_vec().unwrap();
    let [ask, answer, state] = &automations[..] else {
        panic!("{automations:?}");
    };
    for automation in [ask, state] {
        let trigger = &automation["triggers"][0];
        assert_eq!(trigger["trigger"].as_str(), Some("mqtt"));
        assert_eq!(trigger["topic"].as_str(), Some("house/ask"));
    }
    // The notification is withdrawn, or replaced by the outcome, under the tag that it was shown with.
    let tag = |automation: &Yaml| {
        let data = &automation["actions"][0]["data"];
        assert!(data["message"].as_str().is_some());
        data["data"]["tag"].as_str().unwrap().to_owned()
    };
    assert_eq!(tag(ask), tag(state));
    let withdrawn = state["actions"][0]["data"]["message"].as_str().unwrap();
    assert!(withdrawn.contains("default('clear_notification', true)"));
    // The answer comes from the two buttons, and goes to the topic of answers, not retained.
    let publish = &answer["actions"][0];
    assert_eq!(publish["action"].as_str(), Some("mqtt.publish"));
    assert_eq!(publish["data"]["topic"].as_str(), Some("house/ask/answer"));
    assert_eq!(publish["data"]["retain"].as_bool(), Some(false));
    let payload = publish["data"]["payload"].as_str().unwrap();
    assert!(
        payload.contains(r#""id":"#) && payload.contains(r#""allow":"#),
        "{payload}"
    );
    let buttons = ask["actions"][0]["data"]["data"]["actions"].as_vec().unwrap();
    for (button, prefix) in buttons.iter().zip(["ZWAVE_ALLOW_", "ZWAVE_REFUSE_"]) {
        let action = button["action"].as_str().unwrap();
        assert_eq!(action, format!("{prefix}{{{{ trigger.payload_json.id }}}}"));
        assert!(answer["conditions"].as_str().unwrap().contains(prefix));
    }
}

#[test]
fn node_red_s_flow_shows_answers_and_withdraws_a_question() {
    let text = page("packaging/node-red-confirm.json").text;
    let nodes: Vec<Json> = serde_json::from_str(&text).unwrap();
    let find = |id: &Json| {
        let found = nodes.iter().find(|node| node["id"] == *id);
        found.unwrap_or_else(|| panic!("no node {id}"))
    };
    let follow = |node: &Json, output: usize| find(&node["wires"][output][0]).clone();
    let first = |kind: &str| nodes.iter().find(|node| node["type"] == kind).unwrap();
    let questions = first("mqtt in");
    assert_eq!(
        (&questions["topic"], &questions["datatype"]),
        (&"house/ask".into(), &"json".into())
    );
    let show = follow(questions, 0);
    assert_reads(
        show["func"].as_str().unwrap(),
        "told",
        &["id", "question", "device", "sentence"],
    );
    let dialog = follow(&show, 0);
    assert_eq!(
        (&dialog["type"], &dialog["position"]),
        (&"ui_toast".into(), &"dialog".into())
    );
    let answer = follow(&dialog, 0);
    let code = answer["func"].as_str().unwrap();
    assert!(code.contains(&format!(
        "allow: msg.payload === '{}'",
        dialog["ok"].as_str().unwrap()
    )));
    let out = follow(&answer, 0);
    assert_eq!(
        (&out["topic"], &out["retain"]),
        (&"house/ask/answer".into(), &"false".into())
    );
    assert_eq!(follow(&show, 1)["outputs"], 0);
    for node in [questions, &out] {
        assert_eq!(find(&node["broker"])["type"], "mqtt-broker");
    }
}
