//! Unit tests of `src/commands/table.rs`.

use super::*;

fn table(width: Option<usize>, colors: bool) -> String {
    let row = |room: &str, name: &str, state: &str, style| TableRow {
        cells: [room.to_owned(), name.to_owned(), "sensor".to_owned()],
        state: state.to_owned(),
        style,
    };
    let rows = [
        row(
            "台所",
            "Weather",
            "21.5 °C, humidity 60 %, illuminance 300 lx",
            screen::PLAIN,
        ),
        row("", "Küche 💡", "not responding", screen::RED),
    ];
    let mut out = Vec::new();
    print_rows(&rows, "STATE", Screen { width, colors }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn columns_are_aligned_with_wide_characters() {
    assert_eq!(
        table(None, false),
        "ROOM  NAME      KIND    STATE\n\
         台所  Weather   sensor  21.5 °C, humidity 60 %, illuminance 300 lx\n      \
         Küche 💡  sensor  not responding\n"
    );
}

#[test]
fn a_long_state_wraps_within_its_column() {
    assert_eq!(
        table(Some(48), false),
        "ROOM  NAME      KIND    STATE\n\
         台所  Weather   sensor  21.5 °C, humidity 60 %,\n                        \
         illuminance 300 lx\n      \
         Küche 💡  sensor  not responding\n"
    );
}

#[test]
fn colors_do_not_change_the_layout() {
    let colored = table(Some(48), true);
    assert!(colored.contains("\u{1b}[31mnot responding\u{1b}[0m"));
    let codes = [
        "\u{1b}[0m",
        "\u{1b}[1m",
        "\u{1b}[2m",
        "\u{1b}[31m",
        "\u{1b}[33m",
    ];
    let plain = codes.iter().fold(colored, |text, code| text.replace(code, ""));
    assert_eq!(plain, table(Some(48), false));
}
