//! French.

use super::table::Language;
use crate::home::category::Category as C;

pub(super) const FRENCH: Language = Language {
    head_first: true,
    compounds: false,
    small: "le, la, les, un, une, des, du, de, au, aux, a, en, dans, sur, svp, appareil, mon, ma, \
         mes, notre, nos",
    elided: "l, d, qu",
    numbers: "- deux trois quatre cinq six sept huit neuf dix onze douze",
    all: "tous, toutes, toute, chaque",
    everything: "tout",
    kinds: &[
        (C::Everything, "appareil/appareils"),
        (
            C::Lights,
            "lumière/lumières, lampe/lampes, ampoule/ampoules",
        ),
        (C::Switches, "interrupteur/interrupteurs"),
        (C::Outlets, "prise/prises"),
        (C::Dimmers, "variateur/variateurs"),
        (C::Relays, "relais/relais"),
        (C::Motors, "moteur/moteurs"),
        (
            C::Blinds,
            "volet/volets, store/stores, volet roulant/volets roulants",
        ),
        (C::Curtains, "rideau/rideaux"),
        (C::Doors, "porte/portes"),
        (C::GarageDoors, "porte de garage/portes de garage"),
        (C::Gates, "portail/portails, portillon/portillons"),
        (C::Locks, "serrure/serrures, verrou/verrous"),
        (C::Thermostats, "thermostat/thermostats"),
        (C::Heaters, "chauffage/chauffages"),
        (C::RadiatorValves, "radiateur/radiateurs"),
        (C::Fans, "ventilateur/ventilateurs"),
        (C::Valves, "vanne/vannes, électrovanne/électrovannes"),
        (C::Pumps, "pompe/pompes"),
        (C::Sirens, "sirène/sirènes, alarme/alarmes"),
        (C::Bells, "sonnette/sonnettes, carillon/carillons"),
        (C::Cameras, "caméra/caméras"),
        (C::Sensors, "capteur/capteurs, détecteur/détecteurs"),
        (C::Meters, "compteur/compteurs"),
        (C::Remotes, "télécommande/télécommandes"),
        (C::Groups, "groupe/groupes"),
        (C::Scenes, "scène/scènes"),
    ],
    in_names: &[
        (C::Lights, "éclairage, éclairages"),
        (
            C::Fixtures,
            "lustre, plafonnier, applique, lampadaire, spot",
        ),
        (
            C::Appliances,
            "chaudière, poêle, chauffe-eau, sèche-serviettes, VMC, aération, arrosage, télé, \
             télévision, frigo, réfrigérateur, congélateur, four, cuisinière, hotte, \
             micro-ondes, bouilloire, cafetière, lave-vaisselle, lave-linge, sèche-linge, \
             aspirateur, enceinte, ampli, imprimante, ordinateur, serveur, routeur, box, \
             chargeur, horloge, fontaine",
        ),
    ],
    several_in_names: "télé/télés, télévision/télévisions, poêle/poêles, enceinte/enceintes, \
         imprimante/imprimantes, ordinateur/ordinateurs, chargeur/chargeurs, horloge/horloges, \
         fontaine/fontaines",
    spellings: "",
    rooms: "cuisine, salon, séjour, chambre, salle de bain, salle de bains, toilettes, couloir, \
         entrée, jardin, cour, terrasse, balcon, grenier, cave, bureau, salle à manger, \
         buanderie, cellier, escalier, remise, atelier, grange, véranda, dehors",
    places: "local, salle, pièce, armoire, tour",
    doors: "porte, portes, portail, portails, portillon, barrière",
    openers: "serrure, serrures, verrou, verrous, gâche, loquet, ouvre-porte, ouvre-portail, ouvreur",
    not_doors: "",
    garages: "garage, garages",
    sides: "gauche, droite, droit, avant, arrière, nord, sud, est, ouest, grand, petit, grande, \
         petite",
    essential: "frigo, frigidaire, réfrigérateur, congélateur, serveur, routeur, modem, chaudière, \
         chauffe-eau, alarme, médical, médicale, médicaments, pompe, frigos, congélateurs, \
         surgélateur, serveurs, chaudières, alarmes, pompes, réfrigérateurs, oxygène",
};
