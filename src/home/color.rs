//! Colors by name or number, whites by color temperature, and the lamp levels that show a color.

use super::model::value::ColorComponents;

/// A color to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Red, green and blue, 0 to 255 each.
    Rgb(u8, u8, u8),
    /// A white by its color temperature, in kelvin from [`WARMEST`] to [`COLDEST`].
    White(u16),
}

/// The color temperature of a warm white lamp, in kelvin.
pub const WARMEST: u16 = 2700;

/// The color temperature of a cold white lamp, in kelvin.
pub const COLDEST: u16 = 6500;

/// Color names, without spaces, each before its color in digits or its color temperature. Answers call an RGB color by
/// the first of its names here.
const NAMES: &str = include_str!("colors.txt");

/// Returns the rows of [`NAMES`].
fn named_colors() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.lines().filter_map(|row| row.split_once(' '))
}

impl Color {
    /// The white of a warm white lamp.
    pub const WARM_WHITE: Self = Self::White(WARMEST);

    /// A white that looks neither warm nor cold.
    pub const NEUTRAL_WHITE: Self = Self::White(4000);

    /// The white of a cold white lamp.
    pub const COLD_WHITE: Self = Self::White(COLDEST);

    /// Returns the levels at which a light's lamps show the color; unneeded lamps are off. Returns `None` if
    /// the light lacks a lamp for the color.
    pub fn mix(self, light: ColorComponents) -> Option<ColorComponents> {
        let [has_warm, has_cold, ..] = light.0.map(|lamp| lamp.is_some());
        let (levels, has_lamps) = match self {
            // A light without red, green and blue shows "white" with its white lamps.
            Self::Rgb(255, 255, 255) if light.rgb().is_none() => {
                return [Self::NEUTRAL_WHITE, Self::WARM_WHITE, Self::COLD_WHITE]
                    .into_iter()
                    .find_map(|white| white.mix(light));
            }
            Self::Rgb(red, green, blue) => ([0, 0, red, green, blue], light.rgb().is_some()),
            Self::White(kelvin) => {
                let kelvin = kelvin.clamp(WARMEST, COLDEST);
                let warm = f64::from(COLDEST - kelvin) * 255.0 / f64::from(COLDEST - WARMEST);
                let warm = warm.round() as u8;
                let has_lamps = (warm == 0 || has_warm) && (warm == 255 || has_cold);
                ([warm, 255 - warm, 0, 0, 0], has_lamps)
            }
        };
        let mut lamps = light.0;
        for (lamp, level) in lamps.iter_mut().zip(levels) {
            *lamp = lamp.map(|_| level);
        }
        has_lamps.then_some(ColorComponents(lamps))
    }

    /// Returns the color that the lamps show: a white, if only white lamps are lit. Returns `None` if none is lit.
    pub fn from_lamps(lamps: ColorComponents) -> Option<Self> {
        let [warm, cold, ..] = lamps.0.map(Option::unwrap_or_default);
        match (lamps.rgb(), warm, cold) {
            (None | Some((0, 0, 0)), 0, 0) => None,
            (None | Some((0, 0, 0)), warm, cold) => {
                let warm_part = f64::from(warm) / (f64::from(warm) + f64::from(cold));
                let kelvin = f64::from(COLDEST) - warm_part * f64::from(COLDEST - WARMEST);
                Some(Self::White(kelvin.round() as u16))
            }
            (rgb, ..) => rgb.map(|(red, green, blue)| Self::Rgb(red, green, blue)),
        }
    }

    /// Returns the color's name for an answer. A color without a name becomes `#rrggbb`. Any
    /// [`Self::White`] but the warm and the cold white becomes its color temperature, rounded to hundreds.
    pub fn name(self) -> String {
        match self {
            Self::WARM_WHITE => "warm white".to_owned(),
            Self::COLD_WHITE => "cold white".to_owned(),
            Self::White(kelvin) => format!("white, about {} K", (kelvin + 50) / 100 * 100),
            Self::Rgb(red, green, blue) => {
                let digits = format!("#{red:02x}{green:02x}{blue:02x}");
                let named = named_colors().find(|(_, color)| *color == digits);
                named.map_or(digits, |(name, _)| name.to_owned())
            }
        }
    }

    /// Reads a color from its name, from its digits (`#rrggbb` or `rrggbb`), or from a color temperature of 1000
    /// to 20000 K ("2700K", "2700"). The temperature is limited to what lamps can show.
    pub fn read(text: &str) -> Option<Self> {
        let word = super::letters::squash(text);
        if let Some((_, color)) = named_colors().find(|(name, _)| *name == word) {
            return Self::read(color);
        }
        let digits = text.trim().trim_start_matches('#');
        if digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
            return Some(Self::Rgb(red, green, blue));
        }
        let kelvin = word.trim_end_matches("kelvin").trim_end_matches('k').replace(' ', "");
        match kelvin.parse() {
            Ok(kelvin @ 1000..=20_000) => Some(Self::White(kelvin.clamp(WARMEST, COLDEST))),
            _ => None,
        }
    }

    /// Returns the colors to suggest to a caller whose color is unknown.
    pub fn examples() -> &'static str {
        "red, green, blue, yellow, orange, purple, pink, white, warm white, cold white, \
         a white from 1000K to 20000K, or #rrggbb"
    }
}
