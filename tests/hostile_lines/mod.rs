//! The hostile lines of `fixtures/hostile`, and the answers that they must get.

use serde_json::Value as Json;

/// A hostile line.
pub struct Row {
    /// The reason why the line is hostile.
    pub why: String,
    /// The line without its newline.
    pub bytes: Vec<u8>,
    pub answers: Vec<Expected>,
}

/// An answer that a line must get.
pub struct Expected {
    pub id: Json,
    /// The error code, or `None` for a result.
    pub code: Option<i64>,
    /// True if the MCP session gives the answer, false if the parser of lines does.
    pub by_session: bool,
}

pub fn rows() -> Vec<Row> {
    let text = include_str!("../../fixtures/hostile/stdin.jsonl");
    text.lines().map(read_row).collect()
}

fn read_row(line: &str) -> Row {
    let row: Json = serde_json::from_str(line).unwrap();
    let bytes = if let Some(line) = row["line"].as_str() {
        line.as_bytes().to_vec()
    } else if let Some(hex) = row["hex"].as_str() {
        let digits: Vec<u8> = hex.bytes().collect();
        digits
            .chunks(2)
            .map(|pair| str::from_utf8(pair).unwrap())
            .map(|pair| u8::from_str_radix(pair, 16).unwrap())
            .collect()
    } else {
        let parts = row["parts"].as_array().unwrap().iter();
        let part = |part: &Json| {
            let times = usize::try_from(part[1].as_u64().unwrap()).unwrap();
            part[0].as_str().unwrap().repeat(times).into_bytes()
        };
        parts.flat_map(part).collect()
    };
    let answers = row["answers"].as_array().unwrap().iter().map(|answer| Expected {
        id: answer[0].clone(),
        code: answer[1].as_i64(),
        by_session: answer[1] == "result" || answer[2] == "session",
    });
    Row {
        why: row["why"].as_str().unwrap().to_owned(),
        bytes,
        answers: answers.collect(),
    }
}
