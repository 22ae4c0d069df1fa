//! German.

use super::table::Language;
use crate::home::category::Category as C;

pub(super) const GERMAN: Language = Language {
    head_first: false,
    compounds: true,
    small: "der, die, das, den, dem, des, ein, eine, einen, einem, einer, eines, in, im, am, an, \
         auf, von, vom, zu, zum, zur, bitte, gerat, geraet, mein, meine, meinen, meinem, meiner, \
         unser, unsere, unseren, unserem, unserer",
    elided: "",
    numbers: "eins zwei drei vier fünf sechs sieben acht neun zehn - zwölf",
    all: "alle, allen, aller, jede, jeder, jedes, jeden, sämtliche, sämtlichen, jedem",
    everything: "alles",
    kinds: &[
        (C::Everything, "Gerät/Geräte"),
        (C::Lights, "Licht/Lichter, Lampe/Lampen, Leuchte/Leuchten"),
        (
            C::ColorLights,
            "Farblampe/Farblampen, Farblicht/Farblichter",
        ),
        (C::Switches, "Taster/Taster, Schalter/Schalter"),
        (C::Outlets, "Steckdose/Steckdosen, Stecker/Stecker"),
        (C::Dimmers, "Dimmer/Dimmer"),
        (
            C::Relays,
            "Steuerung/Steuerungen, Relais/Relais, Aktor/Aktoren",
        ),
        (C::Motors, "Motor/Motoren, Antrieb/Antriebe"),
        (
            C::Blinds,
            "Rolladen/Rolläden, Rollo/Rollos, Jalousie/Jalousien, Raffstore/Raffstores, \
             Fensterladen/Fensterläden",
        ),
        (C::Curtains, "Vorhang/Vorhänge, Gardine/Gardinen"),
        (C::Awnings, "Markise/Markisen"),
        (C::Doors, "Tür/Türen"),
        (C::GarageDoors, "Garagentor/Garagentore, Rolltor/Rolltore"),
        (C::Gates, "Tor/Tore, Pforte/Pforten"),
        (C::Locks, "Schloss/Schlösser, Türschloss/Türschlösser"),
        (C::Thermostats, "Thermostat/Thermostate"),
        (C::Heaters, "Heizung/Heizungen, Heizer/Heizer"),
        (C::RadiatorValves, "Heizkörper/Heizkörper"),
        (
            C::Fans,
            "Ventilator/Ventilatoren, Lüfter/Lüfter, Lüftung/Lüftungen",
        ),
        (C::Valves, "Ventil/Ventile"),
        (C::Pumps, "Pumpe/Pumpen"),
        (C::Sirens, "Sirene/Sirenen"),
        (C::Bells, "Klingel/Klingeln, Glocke/Glocken, Gong/Gongs"),
        (C::Cameras, "Kamera/Kameras"),
        (C::Sensors, "Sensor/Sensoren, Fühler/Fühler, Melder/Melder"),
        (C::Meters, "Zähler/Zähler"),
        (C::Remotes, "Fernbedienung/Fernbedienungen"),
        (C::Groups, "Gruppe/Gruppen"),
        (C::Scenes, "Szene/Szenen"),
    ],
    in_names: &[
        (C::Lights, "Beleuchtung"),
        (
            C::Fixtures,
            "Strahler, Fluter, Laterne, Kronleuchter, Glühbirne, Lichterkette",
        ),
        (
            C::Appliances,
            "Boiler, Ofen, Kamin, Heizlüfter, Heizkessel, Therme, Bewässerung, Fernseher, \
             Kühlschrank, Gefrierschrank, Gefriertruhe, Tiefkühler, Truhe, Herd, Backofen, \
             Mikrowelle, Wasserkocher, Kaffeemaschine, Spülmaschine, Geschirrspüler, \
             Waschmaschine, Trockner, Abzugshaube, Staubsauger, Lautsprecher, Verstärker, \
             Drucker, Rechner, Ladegerät, Uhr, Brunnen, Maschine",
        ),
    ],
    several_in_names: "Fernseher/Fernseher, Lautsprecher/Lautsprecher, Ofen/Öfen, Kamin/Kamine, \
         Heizlüfter/Heizlüfter, Drucker/Drucker, Rechner/Rechner, Ladegerät/Ladegeräte, \
         Uhr/Uhren, Brunnen/Brunnen, Verstärker/Verstärker",
    spellings: "türe/tür, rollladen/rolladen, rollläden/rolläden",
    rooms: "Küche, Wohnzimmer, Schlafzimmer, Bad, Badezimmer, Toilette, Gäste-WC, Flur, Diele, \
         Gang, Eingang, Garten, Hof, Terrasse, Balkon, Dachboden, Keller, Büro, Arbeitszimmer, \
         Kinderzimmer, Gästezimmer, Esszimmer, Waschküche, Hauswirtschaftsraum, Speisekammer, \
         Treppe, Treppenhaus, Schuppen, Werkstatt, Scheune, Stube, Stall, Wintergarten, draußen",
    places: "raum, zimmer, haus, schrank, keller, turm, laden, werk",
    doors: "Tür, Türen, Tor, Pforte, Schranke, Schlupftür, Garagentor, Garagentore, Rolltor, \
         Rolltore",
    openers: "Öffner, Türöffner, Schloss, Riegel, Türsummer, Torsummer, Türschloss, Türschlösser",
    not_doors: "Mentor, Inventor, Pastor, Nestor, Kantor",
    garages: "Garage, Garagen, Doppelgarage",
    sides: "links, rechts, linke, rechte, linkes, rechtes, mitte, vorne, hinten, groß, klein, \
         große, kleine, nord, süd, ost, west",
    essential: "Kühlschrank, Kühltruhe, Gefrierschrank, Gefriertruhe, Tiefkühler, Truhe, Heizkessel, \
         Kessel, Therme, Pumpe, Alarmanlage, Medizin, Medikamente, Kühlschränke, \
         Gefrierschränke, Gefriertruhen, Kühltruhen, Pumpen, Heizpumpe, Gefrierkombi, Kühlkombi, \
         Gefrier, Fritzbox, Boiler, Alarm, Server, Router, Medizingerät, Sauerstoff",
};
