//! English.

use super::vocabulary::{Aim, COLOR_LIGHTS, COVERS, LIGHTS, Vocabulary};
use crate::home::intent::Action;

pub(super) const ENGLISH: Vocabulary = Vocabulary {
    never: "not, dont, do not, never, no, cant, cannot, wont, shouldnt, mustnt, neednt, isnt, arent, \
         doesnt, didnt, wasnt, werent, nobody, nothing, neither, nor, without, except, excluding, \
         but, apart from, other than, instead, unless, if, when, whenever, while, until, till, \
         as soon as, whether, after, before, later, soon, tomorrow, yesterday, tonight, today, \
         already, always, daily, every day, every night, every morning, every evening, every hour, \
         at night, at noon, at midnight, at sunset, at sunrise, at dawn, at dusk, in the morning, \
         in the afternoon, in the evening, this morning, this afternoon, this evening, \
         for the night, for tonight, for a moment, for a bit, in a moment, in a bit, in a second, \
         in a minute, oclock, seconds, minute, minutes, hour, hours, days, week, weeks, \
         month, months, monday, tuesday, wednesday, thursday, friday, saturday, sunday, maybe, \
         perhaps, might, would have, should have, could have, had, pretend, imagine, suppose, \
         at work, on the floor, on this floor, on my floor, on our floor, on every floor, all in all, will you have, would you have, can you have, could you have, just the, just my, \
         cancel, forget, ignore, undo, avoid, refrain, remind, schedule, said, says",
    before: "hey, hi, hello, ok, okay, all right, alright, now, please, kindly, just, then, also, \
         go ahead and, lets, let us, i need you to, i want you to, id like you to, \
         i would like you to, id like to, i would like to, i want to, hey google, ok google, \
         okay google, hey siri, hey alexa, hey jarvis, hey computer, hey assistant",
    called: "google, siri, alexa, jarvis, computer, assistant",
    asking: "could you, can you, would you, will you, can we, could we, \
         would you mind, do you mind, would you please, would it be possible to, can you please, \
         could you please",
    minding: "would you mind, do you mind",
    behind: "please, thanks, thank you, thank you very much, thanks a lot, for me, for us, now, \
         right now, right away, immediately, at once, again, will you, would you, could you, can you",
    anywhere: "please",
    joins: "and, then, and then, and also, &",
    places: "in, at, inside, of, on the",
    times: "in, at, for, by, from, around, about, past, within, since",
    particles: "anything, something, on, off, up, down, out, to, at, in, of, by, and, then, it, them, is, are, be, into, back, \
         switched, turned",
    verbs_in_names: "switch, power, heating, heat, cool, open, warm, stop, run, start",
    own_articles: "",
    speed: "speed",
    fans: "fan, fans, ventilator, blower, extractor",
    subjects: "i, you, he, she, they, we",
    alternatives: "or, either, otherwise",
    no_names: "left, right, work, time, day, hands, way, game, carry, hold",
    every: "all, every, everything, each, both",
    alone: "all, both",
    gerund: "ing",
    switches: "on, off",
    articles: "the, a, an, my, our, your, all, every, each, both, this, that",
    ones: "zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, \
         thirteen, fourteen, fifteen, sixteen, seventeen, eighteen, nineteen",
    tens: "twenty, thirty, forty/fourty, fifty, sixty, seventy, eighty, ninety",
    one_before_ten: None,
    hundred: "hundred, one hundred, a hundred",
    and_a_half: "and a half, and one half",
    point: "point",
    parts: &[
        (
            100,
            "full, full brightness, full power, maximum, max, the maximum, maximum brightness",
        ),
        (75, "three quarters"),
        (67, "two thirds"),
        (
            50,
            "half, a half, one half, halfway, half way, half brightness, half open, fifty fifty",
        ),
        (33, "a third, one third"),
        (25, "a quarter, one quarter"),
    ],
    percent: "percent, per cent, pct, %, percent brightness, % brightness",
    degrees: "degrees, degree, °, c, celsius, degrees celsius, degree celsius, ° c, °c, f, \
         fahrenheit, degrees fahrenheit, degrees f, degrees c, ° f, °f",
    colors: &[
        ("red", "red"),
        ("green", "green"),
        ("blue", "blue"),
        ("yellow", "yellow"),
        ("orange", "orange"),
        ("purple", "purple"),
        ("violet", "violet"),
        ("pink", "pink"),
        ("magenta", "magenta"),
        ("cyan", "cyan"),
        ("turquoise", "turquoise"),
        ("lime", "lime, lime green"),
        ("gold", "gold"),
        ("amber", "amber"),
        ("teal", "teal"),
        ("indigo", "indigo"),
        ("white", "white"),
        ("warm white", "warm white, warmwhite"),
        ("cold white", "cold white, cool white, coldwhite, coolwhite"),
    ],
    modes: &[
        ("heat", "heat, heating"),
        ("cool", "cool, cooling"),
        ("auto", "auto, automatic"),
        ("energy heat", "eco, economy, energy heat, energy save heat"),
        ("dry", "dry"),
        ("away", "away"),
        ("fan", "fan only"),
    ],
    states: &[
        (
            "on",
            Some(Action::On),
            "on, switched on, turned on, running",
        ),
        (
            "off",
            Some(Action::Off),
            "off, out, switched off, turned off",
        ),
        ("open", Some(Action::Open), "open, opened"),
        ("closed", Some(Action::Close), "closed, shut"),
        ("locked", Some(Action::Lock), "locked"),
        ("unlocked", Some(Action::Unlock), "unlocked"),
        ("dead", None, "dead, offline"),
        ("asleep", None, "asleep"),
    ],
    facts: &[
        ("temperature", "temperature, temp, warm, hot, cold"),
        ("humidity", "humidity, humid, air humidity"),
        ("illuminance", "illuminance"),
        ("motion", "motion, movement"),
        ("battery", "battery, battery level"),
    ],
    urging: "make, let, give, get, bring, have, put, set, turn, switch, open, close, start, stop, \
         keep, leave, light, shut, lock, dim, brighten, raise, lower, pull, roll, lift, kill, toggle, \
         heat, cool, warm, change, adjust, move, paint, power, run, activate",
    fillers: "a, an, the, my, our, some, it, its, this, that, there, be, me, us, you, and, to, into, onto, \
         in, at, on, of, for, from, with, by, up, down, so, just, really, very, quite, nice, nicely, lovely, \
         please, would, will, could, can, again, here, degrees, degree, percent",
    relative: "brighter, darker, warmer, cooler, colder, hotter, louder, quieter, softer, higher, \
         lowest, highest, brightest, darkest, warmest, coldest, little, bit, slightly, more, less, \
         least, most, minimum, max, maximum",
    cancels: "stop, never mind",
    questions: "what, whats, which, how, is, are, did, does, do, who, where, why, has, was, were, can, \
         could, may, should, shall, check",
    hints: &[
        (Action::On, LIGHTS, "bright, brightly, light up, lit"),
        (Action::On, &[], "on, start, going, running, alive"),
        (Action::Off, LIGHTS, "dark"),
        (Action::Off, &[], "off, out, quiet, silent, kill"),
        (
            Action::Open,
            COVERS,
            "daylight, sunlight, sun, sunshine, view",
        ),
        (Action::Open, &[], "open, up, raise"),
        (Action::Close, COVERS, "privacy, shady"),
        (Action::Close, &[], "close, closed, shut, down, lower"),
        (Action::Stop, &[], "stop, halt"),
        (Action::Lock, &[], "lock, locked, secure"),
        (
            Action::SetColor,
            COLOR_LIGHTS,
            "color, colour, hue, tint, shade of",
        ),
    ],
    forms: &[
        (
            Aim::Do(Action::On),
            "turn/turning/switch/switching/flip/put/putting/power/powering back? on NAME PLACE?; \
             turn/turning/switch/switching/put/putting/power/powering/flip NAME back? on PLACE?; \
             NAME back? on PLACE?; power/powering up NAME; activate/activating/enable/start/run NAME; \
             have/get NAME on PLACE?; i want NAME turned/switched/put? back? on; \
             id like NAME turned/switched/put? back? on; i would like NAME turned/switched/put? on",
        ),
        (
            Aim::Do(Action::Off),
            "turn/turning/switch/switching/shut/shutting/power/powering/flip/put off NAME PLACE?; \
             turn/turning/switch/switching/shut/shutting/power/powering/flip NAME back? off PLACE?; \
             NAME back? off PLACE?; NAME out PLACE?; kill/killing NAME; put/putting out NAME; \
             power/powering down NAME; deactivate/deactivating/disable NAME; have/get NAME off PLACE?; \
             turn/turning/switch/put NAME to off; \
             i want NAME turned/switched off; id like NAME turned/switched? back? off; \
             i would like NAME turned/switched? off",
        ),
        (Aim::Do(Action::Toggle), "toggle/toggling/flip NAME"),
        (
            Aim::Do(Action::Open),
            "open/opening/raise/raising/lift/lifting NAME PLACE?; open/opening up NAME; \
             pull/pulling/roll/rolling/bring up NAME PLACE?; \
             pull/pulling/roll/rolling/put/bring NAME up PLACE?; NAME up/open PLACE?; \
             open/opening NAME to AMOUNT; open/opening NAME PERCENT",
        ),
        (
            Aim::Do(Action::Close),
            "close/closing/shut/shutting/lower/lowering NAME PLACE?; \
             pull/pulling/roll/rolling/put/bring/let down NAME PLACE?; \
             pull/pulling/roll/rolling/put/bring/let NAME down PLACE?; NAME down PLACE?; \
             close/closing/shut up NAME",
        ),
        (Aim::Do(Action::Stop), "stop/stopping/halt NAME"),
        (
            Aim::Do(Action::Lock),
            "lock/locking up? NAME; lock/locking NAME up",
        ),
        (Aim::Do(Action::Unlock), "unlock/unlocking NAME"),
        (
            Aim::Do(Action::Dim),
            "dim/dimming/brighten/brightening NAME down/up? to AMOUNT; \
             dim/dimming NAME PERCENT; \
             dim/dimming the? brightness of NAME to AMOUNT; \
             turn/turning/switch/put NAME on to AMOUNT; turn/turning/switch/put on NAME to AMOUNT; \
             turn/turning/switch/put NAME on at PERCENT; turn/turning/switch/put on NAME at PERCENT",
        ),
        (
            Aim::Do(Action::SetTemperature),
            "heat/heating/cool/cooling/warm NAME up/down? to AMOUNT; \
             set/setting/turn the? temperature of/on/in/for NAME to AMOUNT; \
             set/setting/turn NAME temperature to AMOUNT",
        ),
        (
            Aim::Level,
            "set/setting/put/putting/turn/turning/bring/bringing/make/change/get/move/adjust/lower/raise \
             NAME brightness/speed/level? up/down/back? to AMOUNT; \
             set/setting/put/putting/turn/turning/bring/make/move NAME at? PERCENT; \
             turn/turning/bring/bringing up/down NAME to AMOUNT; \
             NAME brightness/speed/level? up/down? to AMOUNT; NAME at? PERCENT; \
             set/setting/put/turn the? brightness/speed/level of NAME to AMOUNT; \
             have/get NAME at/to PERCENT; i want NAME at/to PERCENT; \
             id like NAME at/to PERCENT; id like NAME PERCENT",
        ),
        (
            Aim::Color,
            "set/setting/make/making/turn/turning/change/changing/paint/color/colour/switch/put/get \
             NAME to/in? COLOR; \
             set/setting/make/change/changing/switch/turn the? color/colour of NAME to/into? COLOR; \
             set/change/switch/turn NAME color/colour to? COLOR; \
             NAME color/colour? to? COLOR; have/get NAME in? COLOR; \
             i want NAME to be COLOR; i want NAME in? COLOR; id like NAME to be COLOR; \
             id like NAME in? COLOR",
        ),
        (
            Aim::Mode,
            "set/setting/put/putting/switch/switching/turn/turning/change/changing NAME \
             to/on/in/into/onto MODE mode?; \
             NAME to/on/in MODE mode?; set the? mode of NAME to MODE",
        ),
        (
            Aim::Be,
            "make/making sure NAME is/are STATE; make/making sure that NAME is/are STATE; \
             make/making certain NAME is/are STATE; set NAME to STATE",
        ),
        (
            Aim::List,
            "is/are NAME still/currently? STATE PLACE?; is/are any of? NAME STATE PLACE?; \
             is/are there any? NAME STATE PLACE?; \
             is anything/something/everything still? STATE PLACE; \
             is anything/something/everything still? STATE; \
             did/have i lock/locked/close/closed/shut NAME; \
             which/what NAME is/are still/currently? STATE PLACE?; \
             what/which is still/currently? STATE PLACE?; whats still/currently? STATE PLACE?; \
             is NAME on or off; is NAME open or closed/shut; is NAME locked or unlocked; \
             list/show me? everything/all? PLACE; list/show me? NAME; \
             what is/are PLACE; whats PLACE; what NAME are there PLACE?; \
             what is the? FACT PLACE?; whats the? FACT PLACE?; tell me the? FACT PLACE?; \
             show me? the? FACT PLACE?; FACT PLACE; what FACT is it PLACE?; \
             how FACT is it currently? PLACE?; how FACT is NAME; \
             what is the? NAME FACT; whats the? NAME FACT; \
             how bright is NAME; how open is NAME; \
             how much power/energy/electricity is/does NAME currently? using/drawing/consuming/use/draw/consume; \
             what is the? state/status of NAME; whats the? state/status of NAME; \
             state/status of NAME; what is NAME set? to; whats NAME set? to; \
             what is NAME doing; whats NAME doing; check on? NAME; \
             is there any? FACT PLACE; what color/colour is NAME",
        ),
        (
            Aim::Left,
            "did/have i leave/left NAME STATE PLACE?; did/have we leave/left NAME STATE PLACE?",
        ),
        (
            Aim::ListAll,
            "list all? the? devices/everything; show me? all? the? my? devices/everything; \
             what/which devices are there; what/which devices do you have/know/see; \
             what/which devices do i have; what can you control/do; which devices can you control; \
             what is there; list",
        ),
    ],
};
