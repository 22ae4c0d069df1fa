//! Dutch.

use super::table::Language;
use crate::home::category::Category as C;

pub(super) const DUTCH: Language = Language {
    head_first: false,
    compounds: true,
    small: "de, het, een, in, op, van, aan, bij, alstublieft, apparaat, mijn, ons",
    elided: "",
    numbers: "- twee drie vier vijf zes zeven acht negen tien - twaalf",
    all: "alle, elke, iedere, elk, ieder, al",
    everything: "alles",
    kinds: &[
        (C::Everything, "apparaat/apparaten"),
        (C::Lights, "licht/lichten, lamp/lampen"),
        (C::Switches, "schakelaar/schakelaars"),
        (C::Outlets, "stopcontact/stopcontacten, stekker/stekkers"),
        (C::Dimmers, "dimmer/dimmers"),
        (C::Relays, "relais/relais"),
        (C::Motors, "motor/motoren"),
        (
            C::Blinds,
            "screen/screens, rolluik/rolluiken, rolgordijn/rolgordijnen, jaloezie/jaloezieën, \
             luik/luiken",
        ),
        (C::Curtains, "gordijn/gordijnen"),
        (C::Awnings, "zonnescherm/zonneschermen, luifel/luifels"),
        (C::Doors, "deur/deuren"),
        (
            C::GarageDoors,
            "garagedeur/garagedeuren, garagepoort/garagepoorten",
        ),
        (C::Gates, "poort/poorten, hek/hekken"),
        (C::Locks, "slot/sloten, deurslot/deursloten"),
        (C::Thermostats, "thermostaat/thermostaten"),
        (C::Heaters, "verwarming/verwarmingen, kachel/kachels"),
        (C::RadiatorValves, "radiator/radiatoren"),
        (C::Fans, "ventilator/ventilatoren"),
        (C::Valves, "klep/kleppen, kraan/kranen"),
        (C::Pumps, "pomp/pompen"),
        (C::Sirens, "sirene/sirenes, alarm/alarmen"),
        (C::Bells, "bel/bellen, deurbel/deurbellen, gong/gongs"),
        (C::Cameras, "camera/camera's"),
        (C::Sensors, "sensor/sensoren, melder/melders"),
        (C::Meters, "meter/meters"),
        (C::Remotes, "afstandsbediening/afstandsbedieningen"),
        (C::Groups, "groep/groepen"),
        (C::Scenes, "scène/scènes"),
    ],
    in_names: &[
        (C::Lights, "verlichting"),
        (C::Fixtures, "spot, spots, lantaarn, kroonluchter"),
        (
            C::Appliances,
            "ketel, boiler, haard, afzuiger, ventilatie, beregening, televisie, koelkast, \
             vriezer, diepvries, oven, fornuis, afzuigkap, magnetron, waterkoker, broodrooster, \
             koffiezetter, vaatwasser, wasmachine, droger, stofzuiger, luidspreker, versterker, \
             printer, computer, lader, klok, fontein",
        ),
    ],
    several_in_names: "televisie/televisies, luidspreker/luidsprekers, versterker/versterkers, \
         printer/printers, computer/computers, lader/laders, klok/klokken, fontein/fonteinen, \
         haard/haarden",
    spellings: "",
    rooms: "keuken, woonkamer, slaapkamer, badkamer, toilet, gang, hal, inkom, ingang, garage, \
         tuin, terras, balkon, zolder, kelder, kantoor, werkkamer, kinderkamer, logeerkamer, \
         eetkamer, bijkeuken, wasruimte, trap, schuur, werkplaats, serre, buiten",
    places: "kamer, ruimte, huis, kast, toren, winkel",
    doors: "deur, deuren, poort, poorten, hek, hekken, slagboom, garagedeur, garagedeuren, \
         garagepoort, garagepoorten",
    openers: "slot, sloten, grendel, opener, deuropener, zoemer, schuif, deurslot, deursloten, \
         hangslot",
    not_doors: "baladeur, vendeur, grandeur",
    garages: "garage",
    sides: "links, rechts, linker, rechter, noord, zuid, oost, west, grote, kleine",
    essential: "koelkast, vriezer, diepvries, server, router, modem, ketel, alarm, medisch, medische, \
         medicijnen, pomp, koelkasten, vriezers, ketels, alarmen, pompen, servers, routers, \
         zuurstof",
};
