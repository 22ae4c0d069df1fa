//! Spanish.

use super::table::Language;
use crate::home::category::Category as C;

pub(super) const SPANISH: Language = Language {
    head_first: true,
    compounds: false,
    small: "el, la, los, las, un, una, unos, unas, de, del, en, al, a, por, favor, aparato, mi, \
         mis, nuestro, nuestra, nuestros, nuestras",
    elided: "",
    numbers: "uno dos tres cuatro cinco seis siete ocho nueve diez - doce",
    all: "todos, todas, toda, cada",
    everything: "todo",
    kinds: &[
        (C::Everything, "aparato/aparatos, dispositivo/dispositivos"),
        (C::Lights, "luz/luces, lámpara/lámparas, bombilla/bombillas"),
        (C::Switches, "interruptor/interruptores"),
        (C::Outlets, "enchufe/enchufes"),
        (C::Dimmers, "regulador/reguladores"),
        (C::Relays, "relé/relés"),
        (C::Motors, "motor/motores"),
        (C::Blinds, "persiana/persianas, estor/estores"),
        (C::Curtains, "cortina/cortinas"),
        (C::Awnings, "toldo/toldos"),
        (C::Doors, "puerta/puertas"),
        (
            C::GarageDoors,
            "puerta del garaje/puertas del garaje, puerta de garaje/puertas de garaje",
        ),
        (C::Gates, "portón/portones, verja/verjas, cancela/cancelas"),
        (C::Locks, "cerradura/cerraduras, cerrojo/cerrojos"),
        (C::Thermostats, "termostato/termostatos"),
        (
            C::Heaters,
            "calefacción/calefacciones, calefactor/calefactores, estufa/estufas",
        ),
        (C::RadiatorValves, "radiador/radiadores"),
        (C::Fans, "ventilador/ventiladores"),
        (C::Valves, "válvula/válvulas"),
        (C::Pumps, "bomba/bombas"),
        (C::Sirens, "sirena/sirenas, alarma/alarmas"),
        (C::Bells, "timbre/timbres"),
        (C::Cameras, "cámara/cámaras"),
        (C::Sensors, "sensor/sensores, detector/detectores"),
        (C::Meters, "contador/contadores"),
        (C::Groups, "grupo/grupos"),
        (C::Scenes, "escena/escenas"),
    ],
    in_names: &[
        (C::Lights, "iluminación"),
        (C::Fixtures, "foco, farol, aplique, plafón, lamparita"),
        (
            C::Appliances,
            "caldera, calentador, termo, toallero, extractor, riego, tele, televisor, \
             televisión, nevera, frigorífico, congelador, horno, cocina eléctrica, campana, \
             microondas, tostadora, cafetera, lavavajillas, lavadora, secadora, aspiradora, \
             altavoz, impresora, ordenador, servidor, cargador, reloj, fuente",
        ),
    ],
    several_in_names: "tele/teles, televisor/televisores, televisión/televisiones, toallero/toalleros, \
         altavoz/altavoces, impresora/impresoras, ordenador/ordenadores, cargador/cargadores, \
         reloj/relojes, fuente/fuentes",
    spellings: "",
    rooms: "cocina, salón, sala, dormitorio, habitación, baño, aseo, pasillo, entrada, recibidor, \
         garaje, jardín, patio, terraza, balcón, desván, ático, sótano, oficina, despacho, \
         comedor, lavadero, despensa, escalera, trastero, taller, establo, fuera",
    places: "cuarto, sala, torre, tienda",
    doors: "puerta, puertas, portón, portones, verja, cancela, barrera, reja, portero, portal",
    openers: "cerradura, cerraduras, cerrojo, pestillo, abrepuertas, candado",
    not_doors: "",
    garages: "garaje, cochera, garajes",
    sides: "izquierda, derecha, izquierdo, derecho, norte, sur, este, oeste, grande, pequeña, \
         pequeño, delantera, trasera",
    essential: "nevera, frigorífico, congelador, servidor, router, módem, caldera, alarma, médico, \
         médica, medicinas, bomba, neveras, frigoríficos, congeladores, refrigerador, heladera, \
         servidores, calderas, alarmas, bombas, oxígeno",
};
