//! German.

use super::vocabulary::{Aim, COLOR_LIGHTS, COVERS, LIGHTS, Vocabulary};
use crate::home::intent::Action;

pub(super) const GERMAN: Vocabulary = Vocabulary {
    never: "nicht, nein, nee, quatsch, nichts, kein, keine, keinen, keiner, keinesfalls, nie, niemals, niemand, ohne, \
         außer, bis auf, sondern, aber, wenn, falls, sobald, sofern, bevor, nachdem, solange, \
         während, bis, später, gleich, bald, morgen, gestern, heute, immer, täglich, nachts, \
         abends, morgens, mittags, um mitternacht, bei sonnenuntergang, bei sonnenaufgang, \
         sekunde, sekunden, minute, minuten, stunde, stunden, tage, tagen, woche, wochen, uhr, \
         montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonntag, vielleicht, hätte, \
         wäre, hattest, vergiss, erinnere, abbrechen",
    before: "hallo, hey, ok, okay, bitte, jetzt, mal, dann, auch, ich möchte dass du, hey google, \
         ok google, hey siri, hey alexa, hey jarvis",
    called: "google, siri, alexa, jarvis, computer",
    asking: "kannst du, könntest du, würdest du, kannst du bitte, könntest du bitte, \
         würdest du bitte, können wir, kannst du mal",
    minding: "",
    behind: "bitte, danke, vielen dank, danke schön, jetzt, sofort, für mich, wieder, mal",
    anywhere: "bitte, mal, doch",
    joins: "und, dann, und dann, sowie, &",
    places: "in, im, in der, in dem, am, auf",
    times: "in, um, gegen, nach, vor, ab, für, seit",
    particles: "etwas, was, an, aus, ein, auf, zu, ab, hoch, runter, rauf, herunter, hinunter, es, sie, und, ist, \
         sind, in, im, auf",
    verbs_in_names: "halte, start",
    speed: "",
    fans: "",
    subjects: "ich, du, er, wir, ihr, man",
    alternatives: "oder, entweder, sonst",
    no_names: "",
    every: "alle, alles, jede, jeder, jedes, beide",
    own_articles: "den, dem, einen, einem, meinen, meinem, unseren, unserem, unsere",
    alone: "alle",
    gerund: "",
    switches: "an, aus",
    articles: "der, die, das, den, dem, ein, eine, einen, mein, meine, alle, jede, jedes, jeden, jeder, \
         jedem, beide",
    ones: "null, eins/ein/eine/einen, zwei/zwo, drei, vier, fünf, sechs, sieben, acht, neun, zehn, elf, zwölf, \
         dreizehn, vierzehn, fünfzehn, sechzehn, siebzehn, achtzehn, neunzehn",
    tens: "zwanzig, dreißig, vierzig, fünfzig, sechzig, siebzig, achtzig, neunzig",
    one_before_ten: Some("und"),
    hundred: "hundert, einhundert",
    and_a_half: "einhalb, und ein halb",
    point: "komma",
    parts: &[
        (100, "volle helligkeit, maximum, das maximum, voll"),
        (75, "drei viertel, dreiviertel"),
        (50, "halb, die hälfte, hälfte, halbe helligkeit"),
        (33, "ein drittel"),
        (25, "ein viertel"),
    ],
    percent: "prozent, %",
    degrees: "grad, °, c, ° c, °c, grad celsius, celsius",
    colors: &[
        ("red", "rot"),
        ("green", "grün"),
        ("blue", "blau"),
        ("yellow", "gelb"),
        ("orange", "orange"),
        ("purple", "lila"),
        ("violet", "violett"),
        ("pink", "rosa, pink"),
        ("turquoise", "türkis"),
        ("white", "weiß"),
        ("warm white", "warmweiß, warmes weiß"),
        ("cold white", "kaltweiß, kaltes weiß"),
    ],
    modes: &[
        ("heat", "heizen"),
        ("cool", "kühlen"),
        ("auto", "automatik, auto, automatisch"),
        ("energy heat", "eco, sparbetrieb"),
    ],
    states: &[
        ("on", Some(Action::On), "an, eingeschaltet, ein"),
        ("off", Some(Action::Off), "aus, ausgeschaltet"),
        ("open", Some(Action::Open), "offen, auf, geöffnet"),
        ("closed", Some(Action::Close), "zu, geschlossen"),
        (
            "locked",
            Some(Action::Lock),
            "abgeschlossen, abgesperrt, verriegelt, zugesperrt",
        ),
        (
            "unlocked",
            Some(Action::Unlock),
            "aufgeschlossen, entriegelt",
        ),
    ],
    facts: &[
        ("temperature", "temperatur, warm, kalt, heiß"),
        ("humidity", "luftfeuchtigkeit, feuchtigkeit, feucht"),
        ("motion", "bewegung"),
        ("battery", "batterie"),
    ],
    urging: "mach, mache, lass, lasse, gib, bring, bringe, stell, stelle, schalt, schalte, dreh, drehe, öffne, schließe, schließ, fahr, fahre, dimm, dimme, heiz, heize",
    fillers: "ein, eine, einen, der, die, das, den, dem, mein, meine, unser, es, mir, uns, und, zu, in, im, \
         auf, an, am, mit, bitte, mal, doch, ganz, schön, hier, grad, prozent",
    relative: "heller, dunkler, wärmer, kälter, kühler, lauter, leiser, höher, tiefer, hellste, \
         dunkelste, wärmste, bisschen, etwas, mehr, weniger, minimum, maximum",
    cancels: "stopp, vergiss es",
    questions: "was, welche, welches, welcher, wie, ist, sind, hat, wer, wo, warum, war, waren",
    hints: &[
        (Action::On, LIGHTS, "hell"),
        (Action::On, &[], "an, ein"),
        (Action::Off, LIGHTS, "dunkel"),
        (Action::Off, &[], "aus, still"),
        (Action::Open, COVERS, "tageslicht, sonne, sonnenlicht"),
        (Action::Open, &[], "auf, hoch"),
        (Action::Close, &[], "zu, runter, herunter"),
        (Action::Stop, &[], "stopp, halt"),
        (Action::Lock, &[], "ab, abgeschlossen"),
        (Action::SetColor, COLOR_LIGHTS, "farbe"),
    ],
    forms: &[
        (
            Aim::Do(Action::On),
            "schalte/schalt/schalten/mach/mache/machen NAME an/ein PLACE?; NAME an/ein PLACE?; \
             NAME anmachen/einschalten/anschalten; starte/aktiviere NAME",
        ),
        (
            Aim::Do(Action::Off),
            "schalte/schalt/schalten/mach/mache/machen NAME aus PLACE?; NAME aus PLACE?; \
             NAME ausmachen/ausschalten; deaktiviere NAME",
        ),
        (
            Aim::Do(Action::Open),
            "öffne/öffnen NAME; NAME öffnen; mach/mache/fahr/fahre/zieh/ziehe NAME auf/hoch/rauf PLACE?; \
             NAME auf/hoch PLACE?; öffne NAME auf AMOUNT; NAME hochfahren/aufmachen",
        ),
        (
            Aim::Do(Action::Close),
            "schließe/schließ NAME; NAME schließen; \
             mach/mache/fahr/fahre/zieh/ziehe NAME zu/runter/herunter PLACE?; NAME zu/runter PLACE?; \
             NAME zumachen/runterfahren",
        ),
        (
            Aim::Do(Action::Stop),
            "stopp/stoppe/halte NAME; halte NAME an; NAME stoppen",
        ),
        (
            Aim::Do(Action::Lock),
            "schließe/schließ/sperr/sperre NAME ab; verriegle/verriegele NAME; NAME abschließen/absperren",
        ),
        (
            Aim::Do(Action::Unlock),
            "schließe/schließ/sperr/sperre NAME auf; entriegle/entriegele NAME; \
             NAME aufschließen/aufsperren",
        ),
        (
            Aim::Do(Action::Dim),
            "dimme/dimm/dimmen NAME auf AMOUNT; NAME auf AMOUNT dimmen",
        ),
        (
            Aim::Do(Action::SetTemperature),
            "heize/heiz/kühle/kühl NAME auf AMOUNT; stelle/stell die? temperatur in/im NAME auf AMOUNT",
        ),
        (
            Aim::Level,
            "stelle/stell/setze/setz/mach/mache/schalte/dreh/drehe/fahr/fahre NAME auf AMOUNT; \
             NAME auf AMOUNT; NAME auf AMOUNT stellen/setzen/fahren; NAME PERCENT",
        ),
        (
            Aim::Color,
            "stelle/stell/setze/setz/mach/mache/schalte/färbe/färb NAME auf? COLOR; NAME auf? COLOR",
        ),
        (
            Aim::Mode,
            "stelle/stell/setze/setz/schalte/schalt NAME auf MODE; NAME auf MODE",
        ),
        (
            Aim::List,
            "ist/sind NAME noch? STATE PLACE?; welche/welcher/welches NAME ist/sind noch? STATE PLACE?; \
             was ist noch? STATE PLACE?; zeige/zeig mir? NAME; wie FACT ist es PLACE?; \
             wie ist die FACT PLACE?; wie hoch ist die FACT PLACE?; was ist PLACE; FACT PLACE; \
             ist noch? etwas/was STATE PLACE?",
        ),
        (
            Aim::ListAll,
            "welche geräte gibt es; was gibt es; zeige/zeig mir? alle geräte",
        ),
    ],
};
