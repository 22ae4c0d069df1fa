//! The command `ask`: answers one sentence.

use std::process::ExitCode;

use zwave_mcp_server::assistant::{AiRouter, AnswerPath, SentenceAnswer};
use zwave_mcp_server::cli::exit::{ExitStatus, Failure, print};
use zwave_mcp_server::terminal::{printable, printable_json};

use crate::complain;

/// Answers a sentence, and prints the answer.
pub async fn ask(
    router: &AiRouter,
    room: Option<String>,
    sentence: &str,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let mut conversation = AiRouter::conversation_in(room);
    // The text is printed when the answer is complete, not as it arrives.
    let answer = router.answer(&mut conversation, sentence, &mut |_| {}).await;
    if as_json {
        print_json(&answer)?;
    } else {
        print_line(&printable(&answer.text))?;
        report_error(&answer);
    }
    Ok(ExitStatus::success_if(answer.is_success()).into())
}

/// Prints a failure of the program as a JSON answer, without the calls that were made before the failure.
pub fn print_failure(Failure(code, why): Failure) -> Result<ExitCode, Failure> {
    let answer = SentenceAnswer {
        text: String::new(),
        path: AnswerPath::Model(None),
        calls: Vec::new(),
        error: Some(why),
    };
    print_json(&answer)?;
    Ok(ExitCode::from(code))
}

fn print_json(answer: &SentenceAnswer) -> Result<ExitCode, Failure> {
    print_line(&printable_json(&answer.to_json().to_string()))
}

/// Prints a text on stdout as a line.
fn print_line(text: &str) -> Result<ExitCode, Failure> {
    print(format!("{text}\n").as_bytes())
}

/// Prints an answer's error on stderr, unless the answer's text contains the error.
pub fn report_error(answer: &SentenceAnswer) {
    if let Some(error) = &answer.error
        && !answer.text.contains(error.as_str())
    {
        complain(error);
    }
}
