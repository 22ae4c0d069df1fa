//! Cuts texts of a server that are too long.

/// Cuts a text that is longer than `max_bytes`, and appends a note with the full length.
pub(super) fn shorten(mut text: String, max_bytes: usize) -> String {
    let length = text.len();
    if length > max_bytes {
        text.truncate(longest_prefix(&text, max_bytes).len());
        text.push_str(&format!("… (cut; the full text has {length} bytes)"));
    }
    text
}

/// Returns the longest prefix of `text` with at most `max_bytes` bytes.
pub(super) fn longest_prefix(text: &str, max_bytes: usize) -> &str {
    let is_boundary = |end: &usize| text.is_char_boundary(*end);
    let end = (0..=max_bytes.min(text.len())).rev().find(is_boundary);
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Decodes the first characters of bytes that may not be valid UTF-8.
pub(super) fn first_chars(bytes: &[u8], characters: usize) -> String {
    // A character has at most four bytes.
    let (start, _) = bytes.split_at(bytes.len().min(characters.saturating_mul(4)));
    let text = String::from_utf8_lossy(start);
    text.chars().take(characters).collect()
}
