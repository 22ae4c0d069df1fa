//! Italian.

use super::table::Language;
use crate::home::category::Category as C;

pub(super) const ITALIAN: Language = Language {
    head_first: true,
    compounds: false,
    small: "il, lo, la, i, gli, le, un, una, di, del, dello, della, dei, degli, delle, in, nel, \
         nello, nella, nei, negli, nelle, al, allo, alla, ai, agli, da, dal, dalla, a, per, \
         favore, dispositivo, mio, mia, miei, mie, nostro, nostra, nostri, nostre",
    elided: "l, d, un, dell, nell, dall, sull",
    numbers: "- - tre quattro cinque - sette - nove dieci undici dodici",
    all: "tutti, tutte, tutta, ogni",
    everything: "tutto",
    kinds: &[
        (C::Everything, "dispositivo/dispositivi"),
        (C::Lights, "luce/luci, lampada/lampade, lampadina/lampadine"),
        (C::Switches, "interruttore/interruttori"),
        (C::Outlets, "presa/prese"),
        (C::Dimmers, "regolatore/regolatori"),
        (C::Relays, "relè/relè"),
        (C::Motors, "motore/motori"),
        (
            C::Blinds,
            "serranda/serrande, tapparella/tapparelle, persiana/persiane, veneziana/veneziane, \
             avvolgibile/avvolgibili",
        ),
        (C::Curtains, "tenda/tende"),
        (C::Doors, "porta/porte"),
        (
            C::GarageDoors,
            "porta del garage/porte del garage, basculante/basculanti",
        ),
        (C::Gates, "cancello/cancelli, portone/portoni"),
        (C::Locks, "serratura/serrature"),
        (C::Thermostats, "termostato/termostati"),
        (C::Heaters, "riscaldamento/riscaldamenti, stufa/stufe"),
        (
            C::RadiatorValves,
            "radiatore/radiatori, termosifone/termosifoni",
        ),
        (C::Fans, "ventilatore/ventilatori, ventola/ventole"),
        (C::Valves, "valvola/valvole"),
        (C::Pumps, "pompa/pompe"),
        (C::Sirens, "sirena/sirene, allarme/allarmi"),
        (C::Bells, "campanello/campanelli"),
        (C::Cameras, "telecamera/telecamere"),
        (C::Sensors, "sensore/sensori"),
        (C::Meters, "contatore/contatori"),
        (C::Remotes, "telecomando/telecomandi"),
        (C::Groups, "gruppo/gruppi"),
        (C::Scenes, "scena/scene"),
    ],
    in_names: &[
        (C::Lights, "illuminazione"),
        (
            C::Fixtures,
            "lampadario, faretto, faretti, faro, applique, plafoniera",
        ),
        (
            C::Appliances,
            "caldaia, boiler, scaldabagno, camino, aspiratore, irrigazione, televisore, frigo, \
             frigorifero, congelatore, freezer, forno, fornello, cappa, microonde, bollitore, \
             tostapane, caffettiera, lavastoviglie, lavatrice, asciugatrice, aspirapolvere, \
             cassa, stampante, server, caricatore, orologio, fontana",
        ),
    ],
    several_in_names: "televisore/televisori, stampante/stampanti, caricatore/caricatori, orologio/orologi, \
         fontana/fontane, camino/camini, cassa/casse",
    spellings: "",
    rooms: "cucina, soggiorno, salotto, salone, camera, camera da letto, cameretta, bagno, \
         corridoio, ingresso, giardino, cortile, terrazza, terrazzo, balcone, soffitta, \
         mansarda, cantina, ufficio, studio, sala da pranzo, lavanderia, dispensa, scale, \
         ripostiglio, officina, stalla, veranda, fuori",
    places: "stanza, locale, sala, torre, vano",
    doors: "porta, porte, portone, portoni, cancello, cancelli, cancelletto, barriera, sbarra, \
         basculante, saracinesca",
    openers: "serratura, serrature, elettroserratura, chiavistello, catenaccio, apriporta, \
         apricancello, lucchetto",
    not_doors: "",
    garages: "garage",
    sides: "sinistra, destra, sinistro, destro, nord, sud, est, ovest, grande, piccolo, piccola",
    essential: "frigo, frigorifero, congelatore, freezer, server, router, modem, caldaia, allarme, \
         medico, medica, medicinali, pompa, frigoriferi, congelatori, caldaie, allarmi, pompe, \
         scaldabagno, ossigeno",
};
