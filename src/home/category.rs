//! Categories of devices, as people call them: "lights", "plugs", "blinds", "doors".
//!
//! A [`Kind`](super::kind::Kind) is what a device is technically. Its category may differ: a dimmer called
//! "Water Valve" is a valve, and a switch called "Lamp" is a light (`docs/NAMES.md#how-words-are-compared`).

use serde::{Deserialize, Serialize};

named_enum! {
    /// A category of devices.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[allow(missing_docs)] // The names explain themselves.
    pub enum Category {
        /// No category. Given to words that only look like a word for a category.
        None = "none",
        Everything = "everything",
        Lights = "lights",
        ColorLights = "color_lights",
        Switches = "switches",
        Outlets = "outlets",
        Dimmers = "dimmers",
        Relays = "relays",
        Motors = "motors",
        Covers = "covers",
        Blinds = "blinds",
        Curtains = "curtains",
        Awnings = "awnings",
        Windows = "windows",
        Doors = "doors",
        GarageDoors = "garage_doors",
        Gates = "gates",
        Locks = "locks",
        Thermostats = "thermostats",
        Heaters = "heaters",
        RadiatorValves = "radiator_valves",
        Fans = "fans",
        Valves = "valves",
        Pumps = "pumps",
        Sirens = "sirens",
        Bells = "bells",
        Cameras = "cameras",
        Appliances = "appliances",
        Sensors = "sensors",
        Meters = "meters",
        Remotes = "remotes",
        Keypads = "keypads",
        Groups = "groups",
        Scenes = "scenes",
    }
}

use Category as C;

impl Category {
    /// Returns the category together with the wider category, if there is one: a garage door is also a door.
    pub(super) fn with_wider(self) -> Categories {
        let wider = match self {
            C::ColorLights => C::Lights,
            C::Blinds | C::Curtains | C::Awnings => C::Covers,
            C::GarageDoors | C::Gates | C::Locks => C::Doors,
            C::None => return Categories::default(),
            _ => self,
        };
        Categories::of(&[self, wider])
    }

    /// Returns true for doors, garage doors and gates.
    pub(super) fn is_door(self) -> bool {
        matches!(self, C::Doors | C::GarageDoors | C::Gates)
    }

    /// Returns true for things that may be named after the door that they are at ("Door Lamp").
    pub(super) fn is_at_doors(self) -> bool {
        !self.is_door()
            && !self.is_weak()
            && !matches!(
                self,
                C::None
                    | C::Everything
                    | C::Locks
                    | C::Meters
                    | C::Remotes
                    | C::Keypads
                    | C::Groups
                    | C::Scenes
            )
    }

    /// Returns true for categories that count only if the name has no word for another category: a "Lamp
    /// Switch" is a lamp.
    pub(super) fn is_weak(self) -> bool {
        matches!(
            self,
            C::Switches | C::Outlets | C::Dimmers | C::Relays | C::Motors | C::Windows
        )
    }

    /// Returns true for what may move whatever it is connected to: "Relay for Garage Door", "Remote of the Gate".
    pub(super) fn is_mover(self) -> bool {
        matches!(
            self,
            C::Switches | C::Outlets | C::Relays | C::Motors | C::Remotes
        )
    }

    /// Returns true for what a house does not depend on, whatever it is named after ("Freezer Light").
    pub(super) fn is_never_essential(self) -> bool {
        matches!(self, C::Lights | C::ColorLights | C::Bells)
    }

    /// Returns true for categories whose plural means every member ("lights"). Any other plural, such as "fans",
    /// means the members that have the word in their names, or all members if fewer than two have it.
    pub fn plural_means_all(self) -> bool {
        self.is_door()
            || matches!(
                self,
                C::Everything | C::Lights | C::Blinds | C::Covers | C::Windows | C::Locks
            )
    }
}

/// A set of categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Categories(u64);

impl Categories {
    /// Makes a set of these categories.
    pub fn of(categories: &[Category]) -> Self {
        let bits = categories.iter().map(|category| 1 << *category as u64);
        Self(bits.fold(0, |all, bit: u64| all | bit))
    }

    /// Returns the categories that are in at least one of the sets.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the categories that are in both sets.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the set without a category.
    #[must_use]
    pub fn without(self, category: Category) -> Self {
        Self(self.0 & !(1 << category as u64))
    }

    /// Returns the categories in the set.
    pub fn list(self) -> Vec<Category> {
        Category::ALL.into_iter().filter(|category| self.has(*category)).collect()
    }

    /// Returns true if a category is in the set.
    pub fn has(self, category: Category) -> bool {
        self.0 & (1 << category as u64) != 0
    }
}
