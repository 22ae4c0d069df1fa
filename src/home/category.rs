//! What people call kinds of devices: "lights", "plugs", "blinds", "doors".
//!
//! Not the same as [`Kind`](super::kind::Kind), which is what a device is to the gateway: a dimmer
//! called "Water Valve" is a valve, and a switch called "Lamp" a light (`docs/NAMES.md#how-words-are-compared`).

/// A kind of device as people name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Category {
    /// Nothing that anybody names: for words that only look like one of the others.
    None,
    Everything,
    Lights,
    ColorLights,
    Switches,
    Outlets,
    Dimmers,
    Relays,
    Motors,
    Covers,
    Blinds,
    Curtains,
    Awnings,
    Doors,
    GarageDoors,
    Gates,
    Locks,
    Thermostats,
    Heaters,
    RadiatorValves,
    Fans,
    Valves,
    Pumps,
    Sirens,
    Bells,
    Cameras,
    /// Spots, lanterns and chandeliers: lights only where the device is one anyway.
    Fixtures,
    Appliances,
    Sensors,
    Meters,
    Remotes,
    Keypads,
    Groups,
    Scenes,
}

use Category as C;

impl Category {
    /// What a thing of this kind also is: a garage door is a door.
    pub(super) fn with_wider(self) -> Categories {
        Categories::of(match self {
            C::ColorLights => &[C::ColorLights, C::Lights],
            C::Blinds => &[C::Blinds, C::Covers],
            C::Curtains => &[C::Curtains, C::Covers],
            C::Awnings => &[C::Awnings, C::Covers],
            C::GarageDoors => &[C::GarageDoors, C::Doors],
            C::Gates => &[C::Gates, C::Doors],
            C::Locks => &[C::Locks, C::Doors],
            C::None => &[],
            _ => return Categories::of(&[self]),
        })
    }

    /// Whether a name says it only where it says no other.
    pub(super) fn is_weak(self) -> bool {
        matches!(
            self,
            C::Switches | C::Outlets | C::Dimmers | C::Relays | C::Motors
        )
    }

    /// Whether it is a light, lamp or bulb, or a blind, shade or shutter: kinds whose words stand for
    /// one another.
    pub fn has_stand_ins(self) -> bool {
        matches!(self, C::Lights | C::Blinds)
    }
}

/// A set of categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Categories(u64);

impl Categories {
    /// The set of these.
    pub fn of(categories: &[Category]) -> Self {
        let bits = categories.iter().map(|category| 1 << *category as u64);
        Self(bits.fold(0, |all, bit: u64| all | bit))
    }

    /// Those of either set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn only(self, others: &[Category]) -> Self {
        Self(self.0 & Self::of(others).0)
    }

    /// Whether a category is among them.
    pub fn has(self, category: Category) -> bool {
        self.0 & (1 << category as u64) != 0
    }
}
