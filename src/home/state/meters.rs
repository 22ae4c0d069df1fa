//! Reads meters: what flows, whether it is used or produced, and how much.

use ecow::EcoString;

use crate::fact::Fact;
use crate::model::ids::{CommandClass as Cc, PropertyName};
use crate::model::node::Node;
use crate::model::value::Value;

/// The units that are told, in order of preference. Nobody asks for volts and amperes. A count of pulses has no
/// unit.
const UNITS: [&str; 7] = ["W", "kWh", "Wh", "m³", "ft³", "gal", PULSES];
const PULSES: &str = "";

/// The scale of a count of pulses (zwave-js, Meters).
const PULSE_SCALE: u32 = 3;

/// The things that meters measure, by their types (zwave-js, Meters), electricity first.
const QUANTITIES: [&str; 5] = ["power", "gas", "water", "heating", "cooling"];

/// What a value of a meter measures.
#[derive(Clone, Copy, PartialEq)]
struct Meter {
    quantity: &'static str,
    is_production: bool,
    /// The position of the unit in [`UNITS`].
    rank: usize,
}

/// Reads a meter's power, or its total (such as kWh) if it reports no power. What is produced is told apart from
/// what is used.
pub(super) fn read(value: &Value, node: &Node) -> Option<Fact> {
    let meter = Meter::of(value)?;
    let is_better = |other: &Value| {
        other.id.class == value.id.class
            && Meter::of(other).is_some_and(|other| {
                other.rank < meter.rank
                    && Meter {
                        rank: meter.rank,
                        ..other
                    } == meter
            })
    };
    if node.values_of(value.id.endpoint).any(is_better) {
        return None;
    }
    let what = match meter {
        Meter {
            is_production: true,
            ..
        } => "produces",
        Meter { rank, .. } if UNITS.get(rank) == Some(&PULSES) => "pulses",
        Meter { quantity, .. } => quantity,
    };
    Some(Fact::Measured {
        what: what.into(),
        value: value.number()?,
        unit: unit(value),
    })
}

impl Meter {
    /// Reads what a value measures. Returns `None` for values without a reading, and for those that nobody asks
    /// for. zwave-js packs the type, the scale and the rate into the property key of a meter: type × 65536 +
    /// scale × 256 + rate. The rate 2 is production (`toPropertyKey` in `MeterCC`).
    fn of(value: &Value) -> Option<Self> {
        if value.id.property.text() != Some("value") || value.number().is_none() {
            return None;
        }
        let is_energy_production = value.id.class == Cc::ENERGY_PRODUCTION;
        let key = value.id.key.as_ref().and_then(PropertyName::number);
        let [kind, scale, rate] = match key {
            Some(key) if !is_energy_production => [key >> 16, (key >> 8) & 0xFF, key & 0xFF],
            _ => [1, 0, 1],
        };
        let unit = match scale {
            PULSE_SCALE if (1..=3).contains(&kind) => PULSES,
            _ => value.meta.unit.as_deref().filter(|unit| !unit.is_empty())?,
        };
        Some(Self {
            quantity: QUANTITIES.get((kind as usize).checked_sub(1)?)?,
            is_production: is_energy_production || rate == 2,
            rank: UNITS.iter().position(|known| *known == unit)?,
        })
    }
}

/// Returns the unit of a measurement, as the gateway spells it.
pub(super) fn unit(value: &Value) -> EcoString {
    value.meta.unit.as_deref().unwrap_or_default().into()
}
