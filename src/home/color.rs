//! Colours by name and by number.

use super::model::value::Components;

/// A colour to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Red, green and blue, 0 to 255 each.
    Rgb(u8, u8, u8),
    /// The warm white lamp alone.
    WarmWhite,
    /// The cold white lamp alone.
    ColdWhite,
}

/// Names with one meaning to a person, and the light that comes nearest to it.
const NAMES: [(&str, Color); 20] = [
    ("red", Color::Rgb(255, 0, 0)),
    ("green", Color::Rgb(0, 255, 0)),
    ("blue", Color::Rgb(0, 0, 255)),
    ("yellow", Color::Rgb(255, 220, 0)),
    ("orange", Color::Rgb(255, 136, 0)),
    ("purple", Color::Rgb(128, 0, 255)),
    ("violet", Color::Rgb(143, 0, 255)),
    ("pink", Color::Rgb(255, 80, 160)),
    ("magenta", Color::Rgb(255, 0, 255)),
    ("cyan", Color::Rgb(0, 255, 255)),
    ("turquoise", Color::Rgb(64, 224, 208)),
    ("lime", Color::Rgb(128, 255, 0)),
    ("gold", Color::Rgb(255, 180, 0)),
    ("amber", Color::Rgb(255, 160, 0)),
    ("teal", Color::Rgb(0, 128, 128)),
    ("indigo", Color::Rgb(75, 0, 130)),
    ("white", Color::Rgb(255, 255, 255)),
    ("warmwhite", Color::WarmWhite),
    ("coldwhite", Color::ColdWhite),
    ("coolwhite", Color::ColdWhite),
];

impl Color {
    /// The lamps that show this colour on a light that has these: the others go out. None where
    /// the light lacks the lamps for it.
    pub fn on(self, has: Components) -> Option<Components> {
        let levels = match self {
            Self::Rgb(red, green, blue) => [0, 0, red, green, blue],
            Self::WarmWhite => [255, 0, 0, 0, 0],
            Self::ColdWhite => [0, 255, 0, 0, 0],
        };
        let [warm, cold, ..] = has.0;
        let can = match self {
            Self::Rgb(..) => has.rgb().is_some(),
            Self::WarmWhite => warm.is_some(),
            Self::ColdWhite => cold.is_some(),
        };
        let mut lamps = has.0;
        for (lamp, level) in lamps.iter_mut().zip(levels) {
            *lamp = lamp.map(|_| level);
        }
        can.then_some(Components(lamps))
    }

    /// The colour that lamps show: white where only a white one shines.
    pub fn shown(lamps: Components) -> Option<Self> {
        let [warm, cold, ..] = lamps.0;
        match (lamps.rgb(), warm, cold) {
            (None | Some((0, 0, 0)), Some(1..), None | Some(0)) => Some(Self::WarmWhite),
            (None | Some((0, 0, 0)), None | Some(0), Some(1..)) => Some(Self::ColdWhite),
            (Some((red, green, blue)), ..) => Some(Self::Rgb(red, green, blue)),
            _ => None,
        }
    }

    /// Its name, or `#rrggbb` where it has none.
    pub fn name(self) -> String {
        match self {
            Self::WarmWhite => "warm white".to_owned(),
            Self::ColdWhite => "cold white".to_owned(),
            Self::Rgb(red, green, blue) => {
                let named = NAMES.iter().find(|(_, color)| *color == self);
                named.map_or_else(
                    || format!("#{red:02x}{green:02x}{blue:02x}"),
                    |(name, _)| (*name).to_owned(),
                )
            }
        }
    }

    /// Reads a name or `#rrggbb`, in any case, with or without the `#`.
    pub fn read(text: &str) -> Option<Self> {
        let word = super::letters::squashed(text);
        if let Some((_, color)) = NAMES.iter().find(|(name, _)| *name == word) {
            return Some(*color);
        }
        let digits = text.trim().trim_start_matches('#');
        if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self::Rgb(red, green, blue))
    }

    /// Names to offer to somebody who said none that is known.
    pub fn examples() -> &'static str {
        "red, green, blue, yellow, orange, purple, pink, white, warm white, cold white or #rrggbb"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_read_by_name_and_by_number() {
        assert_eq!(Color::read("Red"), Some(Color::Rgb(255, 0, 0)));
        assert_eq!(Color::read("warm white"), Some(Color::WarmWhite));
        assert_eq!(Color::read("#FF8800"), Some(Color::Rgb(255, 136, 0)));
        assert_eq!(Color::read("ff8800"), Some(Color::Rgb(255, 136, 0)));
        for wrong in ["nothex", "#ff88", "", "##", "ff88001", "fünf"] {
            assert_eq!(Color::read(wrong), None, "{wrong}");
        }
    }
}
