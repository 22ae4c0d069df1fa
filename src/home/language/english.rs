//! English.

use super::table::Language;
use crate::home::category::Category as C;

pub(super) const ENGLISH: Language = Language {
    head_first: false,
    compounds: true,
    small: "the, a, an, my, our, in, of, at, please, device, on",
    elided: "",
    numbers: "one two three four five six seven eight nine ten eleven twelve",
    all: "all, every, each",
    everything: "everything",
    kinds: &[
        (C::Everything, "thing/things, device/devices"),
        (C::Lights, "light/lights, lamp/lamps, bulb/bulbs"),
        (C::ColorLights, "color light/color lights"),
        (C::Switches, "switch/switches"),
        (C::Outlets, "outlet/outlets, plug/plugs, socket/sockets"),
        (C::Dimmers, "dimmer/dimmers"),
        (C::Relays, "relay/relays"),
        (C::Motors, "motor/motors"),
        (C::Blinds, "blind/blinds, shade/shades, shutter/shutters"),
        (C::Covers, "cover/covers"),
        (C::Curtains, "curtain/curtains, drape/drapes"),
        (C::Awnings, "awning/awnings"),
        (C::Doors, "door/doors"),
        (
            C::GarageDoors,
            "garage door/garage doors, roller door/roller doors",
        ),
        (C::Gates, "gate/gates"),
        (C::Locks, "lock/locks, door lock/door locks"),
        (C::Thermostats, "thermostat/thermostats"),
        (C::Heaters, "heater/heaters, heating/heatings"),
        (
            C::RadiatorValves,
            "radiator valve/radiator valves, radiator/radiators",
        ),
        (C::Fans, "fan/fans, ventilator/ventilators"),
        (C::Valves, "valve/valves"),
        (C::Pumps, "pump/pumps"),
        (C::Sirens, "siren/sirens, alarm/alarms"),
        (C::Bells, "bell/bells, chime/chimes, doorbell/doorbells"),
        (C::Cameras, "camera/cameras"),
        (C::Sensors, "sensor/sensors"),
        (C::Meters, "meter/meters"),
        (C::Remotes, "remote/remotes"),
        (C::Keypads, "keypad/keypads"),
        (C::Groups, "group/groups"),
        (C::Scenes, "scene/scenes"),
    ],
    in_names: &[
        (C::Lights, "lighting"),
        (
            C::Fixtures,
            "spot, spotlight, chandelier, lantern, sconce, downlight, led, leds",
        ),
        (
            C::Appliances,
            "boiler, towel warmer, fireplace, furnace, ventilation, extractor, exhaust, aerator, \
             irrigation, sprinkler, sprinklers, detector, tv, television, fridge, refrigerator, \
             freezer, oven, stove, cooker, hob, hood, microwave, kettle, toaster, coffee, \
             dishwasher, washer, washing machine, dryer, iron, vacuum, robot, speaker, speakers, \
             amplifier, stereo, radio, receiver, console, projector, printer, computer, pc, \
             laptop, server, nas, router, modem, charger, humidifier, dehumidifier, purifier, \
             fountain, jacuzzi, sauna, mixer, conveyor, compressor, clock",
        ),
        (
            C::None,
            "skylight, daylight, sunlight, moonlight, twilight, highlight",
        ),
    ],
    several_in_names: "tv/tvs, television/televisions, oven/ovens, speaker/speakers, radio/radios, \
         receiver/receivers, projector/projectors, printer/printers, computer/computers, pc/pcs, \
         laptop/laptops, charger/chargers, humidifier/humidifiers, dehumidifier/dehumidifiers, \
         purifier/purifiers, fountain/fountains, fireplace/fireplaces, clock/clocks",
    spellings: "colour/color, grey/gray, centre/center, theatre/theater",
    rooms: "kitchen, kitchenette, living room, lounge, bedroom, bathroom, bath, toilet, restroom, \
         wc, hall, hallway, corridor, entry, entrance, foyer, garage, carport, garden, yard, \
         backyard, patio, terrace, balcony, attic, loft, basement, cellar, office, study, den, \
         nursery, playroom, kids room, guest room, dining room, laundry, laundry room, \
         utility room, pantry, stairs, staircase, landing, porch, shed, workshop, barn, \
         conservatory, library, gym, closet, upstairs, downstairs, outside",
    places: "room, house, hall, closet, cabinet, shed, cupboard, tower, shop, station, rack, post, \
         yard, street, court, bar, store, box, garden",
    doors: "door, doors, gate, gates, barrier, barriers, portal",
    openers: "opener, openers, strike, lock, locks, latch, bolt, buzzer, deadbolt, strikes, latches, \
         bolts, buzzers, deadbolts, padlock",
    not_doors: "outdoor, outdoors, indoor, indoors, sherlock, warlock, gridlock, thunderbolt, \
         aggregate, surrogate, navigate, block, hillock, campbell, southgate, watergate, \
         timeslot, bookstore, cantor, castor",
    garages: "garage, garages",
    sides: "left, right, middle, center, centre, front, back, rear, side, north, south, east, west, \
         big, small, main, double, single",
    essential: "fridge, refrigerator, freezer, server, nas, router, modem, boiler, alarm, medical, \
         medicine, pump, fridges, refrigerators, freezers, deep freeze, servers, routers, \
         modems, boilers, alarms, pumps, water heater, oxygen, cpap, wifi, internet",
};
