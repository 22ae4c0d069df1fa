//! A table of devices that fits the terminal: room, name, kind and state.

use std::io::{self, Write};

use anstyle::Style;
use textwrap::core::display_width;

use crate::terminal::screen::{self, Screen};

/// The space between two columns.
const GAP: &str = "  ";

/// The minimum width of the state, in terminal columns. Narrower text is hard to read.
const MIN_STATE_WIDTH: usize = 20;

const HEADINGS: [&str; 3] = ["ROOM", "NAME", "KIND"];

/// A device's row.
pub struct TableRow {
    /// The room, name and kind.
    pub cells: [String; 3],
    /// The state and anything unusual about the device, or instead the device's problem.
    pub state: String,
    /// The style of the state.
    pub style: Style,
}

/// Prints the rows as a table with headings, or each row as a paragraph if the terminal is too narrow.
pub(super) fn print_rows(
    rows: &[TableRow],
    last_heading: &str,
    screen: Screen,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut widths = HEADINGS.map(display_width);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(&row.cells) {
            *width = display_width(cell).max(*width);
        }
    }
    let before_state: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let state_width = screen.width.map(|width| width.saturating_sub(before_state));
    if state_width.is_some_and(|width| width < MIN_STATE_WIDTH) {
        return print_paragraphs(rows, screen, out);
    }
    let headings = pad_cells(&HEADINGS.map(str::to_owned), widths);
    writeln!(
        out,
        "{}",
        screen.style(&format!("{headings}{last_heading}"), screen::BOLD)
    )?;
    for row in rows {
        let mut start = pad_cells(&row.cells, widths);
        let state_lines = match state_width {
            Some(width) => textwrap::wrap(&row.state, width),
            None => vec![row.state.as_str().into()],
        };
        for state in state_lines {
            let state = screen.style(&state, row.style);
            writeln!(out, "{}", format!("{start}{state}").trim_end())?;
            start = " ".repeat(before_state);
        }
    }
    Ok(())
}

/// Pads each cell to the width of its column, and adds the gap.
fn pad_cells(cells: &[String; 3], widths: [usize; 3]) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, width)| {
        let space = " ".repeat(width.saturating_sub(display_width(cell)));
        format!("{cell}{space}{GAP}")
    });
    padded.collect()
}

fn print_paragraphs(rows: &[TableRow], screen: Screen, out: &mut impl Write) -> io::Result<()> {
    for row in rows {
        let [room, name, kind] = &row.cells;
        let place = if room.is_empty() {
            name.clone()
        } else {
            format!("{room}, {name}")
        };
        let details: Vec<&str> = [kind, &row.state]
            .map(String::as_str)
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        writeln!(out, "{}", screen.style(&screen.wrap(&place), screen::BOLD))?;
        let details = screen.wrap(&details.join(", "));
        let style = match row.style {
            screen::PLAIN => screen::DIM,
            other => other,
        };
        writeln!(out, "{}", screen.style(&details, style))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "../../tests/unit/commands/table.rs"]
mod tests;
