//! Names that every interface accepts, and the way back to the own ones.
//!
//! `OpenAI` and Anthropic want names of tools to match `^[a-zA-Z0-9_-]{1,64}$`, and Anthropic wants
//! keys of properties to match `^[a-zA-Z0-9_.-]{1,64}$`; one name outside has the whole request
//! refused. Which name is offered depends on the own name alone, so that it is the same for every
//! interface, whatever else is offered.

use std::borrow::Cow;

/// The longest name that is accepted, in characters.
const LONGEST: usize = 64;

/// How many digits tell names apart that differ only in what is not accepted.
const DIGITS: usize = 8;

/// The name under which a tool is offered: its own where that is accepted, and else one with only
/// accepted letters and a checksum: `files/read` is `files_read_` and eight digits. The
/// [manager](crate::client::ToolManager) finds a tool by either.
pub fn offered_name(name: &str) -> Cow<'_, str> {
    offered(name, |_| false)
}

fn offered(own: &str, also: fn(char) -> bool) -> Cow<'_, str> {
    let fits = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') || also(letter)
    };
    let accepted = (1..=LONGEST).contains(&own.len()) && own.chars().all(fits);
    // A name that looks like one made here is made anew: it could be another tool's.
    if accepted && !looks_made(own) {
        return Cow::Borrowed(own);
    }
    let letters = own.chars().take(LONGEST - DIGITS - 1);
    let start: String = letters
        .map(|letter| if fits(letter) { letter } else { '_' })
        .collect();
    Cow::Owned(format!("{start}_{:08x}", checksum(own)))
}

fn looks_made(name: &str) -> bool {
    let digits = name.rsplit_once('_').map_or("", |(_, digits)| digits);
    digits.len() == DIGITS
        && digits
            .bytes()
            .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// FNV-1a, in 32 bits.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum: u32, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
