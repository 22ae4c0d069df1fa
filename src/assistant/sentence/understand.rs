//! From a sentence to what is to be done or answered, given the house.
//!
//! Every word must be of the order or the question, of the house, or a small one, in one language. All
//! ways to read the sentence are found; something is done only where all of them come to the same.

use super::clause::{Parsed, has_content, parse};
use super::context::Context;
use super::house::{DeviceFacts, KnownHouse};
use super::lexicon::{Excuse, LEXICONS, Lexicon, Pronoun};
use super::order::{CallRefusal, DeviceCall, Wish};
use super::question::Question;
use super::target::{Named, Rest, spares_the_essential};
use super::tokens::{Mark, Sentence, Token};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language;
use crate::home::names::{Members, Set, may_be_said};
use crate::home::word::Word;
use crate::home::words::words;

/// One device, and what it is told.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step<'h> {
    pub device: &'h Device,
    pub facts: &'h DeviceFacts,
    pub call: DeviceCall,
}

/// What one clause comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning<'h> {
    /// Everything that is to be done, and what of a set is left alone.
    Do(Vec<Step<'h>>, Vec<&'h Device>),
    /// Which of these devices?
    WhichOne(Wish, Vec<&'h Device>),
    /// It can't be done, and why.
    Cannot(CallRefusal, Vec<&'h Device>),
    Asked(Question<'h>),
    /// There is nothing to refer to.
    WhatIsIt,
    /// Nothing is said but what changes nothing.
    Silent,
    /// Two ways to read it come to different things.
    Unclear,
}

/// What a sentence comes to, and the language that it is in.
#[derive(Debug)]
pub(super) enum Understanding<'h> {
    Meant(&'static Lexicon, Meaning<'h>),
    /// Two ways to read it come to different things.
    Ambiguous(&'static Lexicon),
    /// It is not understood: the words that nobody knows, and what it seems to be instead.
    Unknown {
        lexicon: &'static Lexicon,
        words: Vec<String>,
        excuse: Option<Excuse>,
    },
}

/// The most clauses of a sentence.
const MOST_CLAUSES: usize = 4;

/// The most places where a sentence may be taken apart.
const MOST_JOINTS: usize = 6;

/// Understands a sentence. The language settles what is a sentence in two.
pub(super) fn understand<'h>(
    house: &'h KnownHouse,
    text: &str,
    context: &Context,
    language: Option<&str>,
) -> Understanding<'h> {
    let english = LEXICONS.first().unwrap_or(&EMPTY);
    let spoken = LEXICONS
        .iter()
        .find(|own| Some(own.code.as_str()) == language);
    let Some(sentence) = Sentence::read(text) else {
        return Understanding::Unknown {
            lexicon: spoken.unwrap_or(english),
            words: Vec::new(),
            excuse: None,
        };
    };
    let first = spoken.into_iter();
    let others = LEXICONS
        .iter()
        .filter(|own| spoken.is_none_or(|spoken| spoken.code != own.code));
    let mut found: Vec<(usize, &'static Lexicon, Read)> = Vec::new();
    for lexicon in first.chain(others) {
        let reader = Reader::new(house, lexicon, &sentence, context);
        match reader.meaning() {
            Read::Nothing => {}
            read if spoken.is_some_and(|spoken| spoken.code == lexicon.code) => {
                found = vec![(0, lexicon, read)];
                break;
            }
            read => found.push((reader.familiar_words(), lexicon, read)),
        }
    }
    // The language that knows most of the words is that of the answer.
    found.sort_by_key(|(familiar, ..)| std::cmp::Reverse(*familiar));
    let Some((_, lexicon, _)) = found.first() else {
        return not_understood(house, &sentence, spoken);
    };
    let lexicon = *lexicon;
    match agreed(
        found
            .into_iter()
            .flat_map(|(.., read)| read.meanings())
            .collect(),
    ) {
        Read::Meant(meaning) => Understanding::Meant(lexicon, meaning),
        Read::Differs | Read::Nothing => Understanding::Ambiguous(lexicon),
    }
}

static EMPTY: std::sync::LazyLock<Lexicon> = std::sync::LazyLock::new(Lexicon::default);

/// What is left of a sentence that nobody understands: the words that are unknown in the language that
/// knows the most of it.
fn not_understood<'h>(
    house: &KnownHouse,
    sentence: &Sentence,
    spoken: Option<&'static Lexicon>,
) -> Understanding<'h> {
    let unknown = |lexicon: &Lexicon| {
        let tokens = &sentence.tokens;
        let mut known = vec![false; tokens.len()];
        for at in 0..tokens.len() {
            let Some(token) = tokens.get(at) else {
                continue;
            };
            let found = lexicon.elements.beginning_with(token).into_iter();
            let lengths = found.filter_map(|(pattern, _)| pattern.length(tokens, at));
            let values = super::value::values(tokens, at, lexicon).into_iter();
            let lengths = lengths.chain(values.map(|(length, _)| length));
            let joins = lexicon.joins.at(tokens, at).map(|(length, ())| length);
            let own = token
                .word()
                .is_none_or(|word| may_be_said(house.names(), word, lexicon.language));
            let length = lengths.chain(joins).max().unwrap_or(usize::from(own));
            known
                .iter_mut()
                .skip(at)
                .take(length)
                .for_each(|own| *own = true);
        }
        let unknown = tokens.iter().zip(known).filter(|(_, known)| !known);
        unknown
            .map(|(token, _)| token.said.clone())
            .collect::<Vec<_>>()
    };
    let lexicons = LEXICONS.iter().rev();
    let all = lexicons.map(|lexicon| (lexicon, unknown(lexicon)));
    let best = all.min_by_key(|(lexicon, words)| {
        (
            spoken.is_some_and(|own| own.code != lexicon.code),
            words.len(),
            lexicon.language != 1,
        )
    });
    let excuse = LEXICONS.iter().find_map(|lexicon| {
        let mut places = 0..sentence.tokens.len();
        places.find_map(|at| lexicon.excuses.at(&sentence.tokens, at))
    });
    let (lexicon, words) = best.map_or_else(
        || (&*EMPTY, Vec::new()),
        |(lexicon, words)| (lexicon, words),
    );
    Understanding::Unknown {
        lexicon,
        words,
        excuse: excuse.map(|(_, excuse)| excuse),
    }
}

/// What the ways to read something come to.
enum Read<'h> {
    Nothing,
    Meant(Meaning<'h>),
    Differs,
}

impl<'h> Read<'h> {
    /// The meaning; where there are two, none that another could agree with.
    fn meanings(self) -> Vec<Meaning<'h>> {
        match self {
            Self::Meant(meaning) => vec![meaning],
            Self::Nothing | Self::Differs => vec![Meaning::Unclear],
        }
    }
}

/// A sentence that is read in one language.
struct Reader<'h, 'r> {
    house: &'h KnownHouse,
    lexicon: &'static Lexicon,
    tokens: Vec<Token>,
    marked: bool,
    /// Whether each token may be of the house.
    own: Vec<bool>,
    context: &'r Context,
}

impl<'h, 'r> Reader<'h, 'r> {
    fn new(
        house: &'h KnownHouse,
        lexicon: &'static Lexicon,
        sentence: &Sentence,
        context: &'r Context,
    ) -> Self {
        let tokens = apart(&sentence.tokens, house, lexicon);
        let own = tokens.iter().map(|token| match &token.mark {
            Mark::Word(word) => may_be_said(house.names(), word, lexicon.language),
            Mark::Sign(sign) => *sign == '&',
        });
        Self {
            house,
            lexicon,
            own: own.collect(),
            tokens,
            marked: sentence.asks,
            context,
        }
    }

    /// How many of the words the language has.
    fn familiar_words(&self) -> usize {
        let is_familiar = |token: &&Token| {
            let word = token.word().map(std::slice::from_ref);
            let own = word.map_or(0, |word| language::languages_of(word));
            own & self.lexicon.language != 0
                || !self.lexicon.elements.beginning_with(token).is_empty()
        };
        self.tokens.iter().filter(is_familiar).count()
    }

    /// What all ways to take the sentence apart come to.
    fn meaning(&self) -> Read<'h> {
        let joints = self.joints();
        let mut found = Vec::new();
        for chosen in 0..1_u32 << joints.len().min(MOST_JOINTS) {
            if chosen.count_ones() as usize >= MOST_CLAUSES {
                continue;
            }
            let mut clauses = Vec::new();
            let mut start = 0;
            for (at, (from, to)) in joints.iter().enumerate() {
                if chosen & (1 << at) != 0 {
                    clauses.push((start, *from));
                    start = *to;
                }
            }
            clauses.push((start, self.tokens.len()));
            match self.together(&clauses) {
                Read::Nothing => {}
                Read::Differs => return Read::Differs,
                Read::Meant(meaning) => found.push(meaning),
            }
        }
        agreed(found)
    }

    /// The places where the sentence may be taken apart: commas, "and" and "then", those that follow
    /// each other as one.
    fn joints(&self) -> Vec<(usize, usize)> {
        let mut joints: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let is_join = token.is_break()
                || token.is_sign('&')
                || token.word().is_some_and(language::is_join);
            let length = self.lexicon.joins.at(&self.tokens, at);
            let length = length.map_or(usize::from(is_join), |(length, ())| length);
            if length > 0 {
                match joints.last_mut() {
                    Some((_, end)) if *end == at => *end = at + length,
                    _ if at > 0 => joints.push((at, at + length)),
                    _ => {}
                }
            }
            at += length.max(1);
        }
        joints
    }

    /// What clauses come to one after the other.
    fn together(&self, clauses: &[(usize, usize)]) -> Read<'h> {
        let mut all: Option<Meaning> = None;
        let mut before: Vec<&Device> = Vec::new();
        for (from, to) in clauses {
            let meaning = match self.clause(*from, *to, &before) {
                Read::Meant(meaning) => meaning,
                other => return other,
            };
            if let Meaning::Do(steps, _) = &meaning {
                before = steps.iter().map(|step| step.device).collect();
            }
            all = match (all, meaning) {
                (all, Meaning::Silent) => all,
                (None, meaning) => Some(meaning),
                (Some(Meaning::Do(steps, _)), Meaning::Do(more, _)) if contradict(&steps, &more) => {
                    Some(Meaning::Unclear)
                }
                (Some(Meaning::Do(mut steps, mut left)), Meaning::Do(more, more_left)) => {
                    steps.extend(more);
                    left.extend(more_left);
                    Some(Meaning::Do(steps, left))
                }
                (
                    Some(Meaning::Do(..)),
                    meaning @ (Meaning::Cannot(..) | Meaning::WhichOne(..) | Meaning::WhatIsIt),
                ) => Some(meaning),
                (
                    Some(known @ (Meaning::Cannot(..) | Meaning::WhichOne(..) | Meaning::WhatIsIt)),
                    Meaning::Do(..),
                ) => Some(known),
                _ => return Read::Nothing,
            };
        }
        all.map_or(Read::Nothing, Read::Meant)
    }

    /// What all ways to read one clause come to.
    fn clause(&self, from: usize, to: usize, before: &[&'h Device]) -> Read<'h> {
        let tokens = self.tokens.get(from..to).unwrap_or_default();
        let own = self.own.get(from..to).unwrap_or_default();
        let ways = parse(tokens, own, self.lexicon);
        let found = ways
            .iter()
            .filter_map(|parsed| self.read(tokens, parsed, before));
        agreed(found.collect())
    }

    fn read(
        &self,
        tokens: &[Token],
        parsed: &Parsed,
        before: &[&'h Device],
    ) -> Option<Meaning<'h>> {
        if parsed.says_nothing() {
            return Some(Meaning::Silent);
        }
        if std::env::var_os("ZDEBUG").is_some() {
            let rest: Vec<_> = parsed.rest.iter().map(|at| &tokens[*at].said).collect();
            eprintln!("{} {rest:?} {parsed:?}", self.lexicon.code);
        }
        let rest = Rest {
            house: self.house,
            lexicon: self.lexicon,
            tokens,
            places: &parsed.rest,
        };
        let before_value = |at: &&usize| parsed.value.is_some_and(|said| **at < said.at);
        let before_value: Vec<usize> = parsed.rest.iter().filter(before_value).copied().collect();
        let named_before = has_content(tokens, &before_value);
        match Wish::of(parsed, named_before, self.lexicon) {
            // "Lamp on?" asks.
            Some(_) if self.marked && parsed.begins_with_a_verb() => None,
            Some(_) if parsed.tells(tokens, self.lexicon) => None,
            Some(wish) if !(self.marked && parsed.is_bare()) => {
                self.order(wish, parsed, &rest, before)
            }
            Some(_) => parsed.as_state().question(&rest).map(Meaning::Asked),
            None => parsed.question(&rest).map(Meaning::Asked),
        }
    }

    fn order(
        &self,
        wish: Wish,
        parsed: &Parsed,
        rest: &Rest<'h, '_>,
        before: &[&'h Device],
    ) -> Option<Meaning<'h>> {
        let named = match parsed.pronoun {
            Some(pronoun) if rest.is_empty() => match self.referred(pronoun, before) {
                devices if devices.is_empty() => return Some(Meaning::WhatIsIt),
                devices => Named::Devices(devices),
            },
            Some(_) => return None,
            None => rest.to_control(wish.garage_action(), wish.kind()),
        };
        let is_named_only = wish.deed.is_none() && wish.value.is_none();
        if is_named_only && !self.is_order_by_name(&named, rest) {
            return None;
        }
        orders(self.house, self.lexicon, wish, named)
    }

    /// Returns true for what is an order by its name alone: a scene, and where the language has it so, a
    /// light.
    fn is_order_by_name(&self, named: &Named, rest: &Rest) -> bool {
        let devices = match named {
            Named::Devices(devices) => devices.as_slice(),
            Named::Set(set) => set.members.as_slice(),
            _ => return false,
        };
        let all = |is: &dyn Fn(&DeviceFacts, &Device) -> bool| {
            let mut known = devices.iter();
            known.all(|own| self.house.facts(own).is_some_and(|facts| is(facts, own)))
        };
        let is_light = |_: &DeviceFacts, own: &Device| own.categories.has(Category::Lights);
        let says_light = self.lexicon.lights_alone && rest.says_light_as_such();
        all(&|facts, _| facts.kind == "scene") || says_light && all(&is_light)
    }

    /// The devices that a pronoun stands for: those of the clause before, or of the sentence before.
    fn referred(&self, pronoun: Pronoun, before: &[&'h Device]) -> Vec<&'h Device> {
        let known = |names: &[String]| -> Vec<&'h Device> {
            names
                .iter()
                .filter_map(|name| self.house.device(name))
                .collect()
        };
        match pronoun {
            Pronoun::It | Pronoun::Them if !before.is_empty() => before.to_vec(),
            Pronoun::It | Pronoun::Them => known(&self.context.last),
            Pronoun::Other => known(&self.context.others),
        }
    }
}

/// Returns true if a device is told one thing and then another that undoes it: the second may be meant
/// instead of the first.
fn contradict(steps: &[Step], more: &[Step]) -> bool {
    let undoes = |one: &DeviceCall, other: &DeviceCall| {
        use Action::{Close, Lock, Off, On, Open, Unlock};
        let pair = [one.action, other.action];
        one.action == other.action && one != other
            || [[On, Off], [Open, Close], [Lock, Unlock]]
                .iter()
                .any(|known| pair == *known || pair == [known[1], known[0]])
    };
    let mut pairs = steps.iter().flat_map(|one| more.iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| one.device.id == other.device.id && undoes(&one.call, &other.call))
}

/// What an order comes to for what is named.
pub(super) fn orders<'h>(
    house: &'h KnownHouse,
    lexicon: &'static Lexicon,
    wish: Wish,
    named: Named<'h>,
) -> Option<Meaning<'h>> {
    let step = |device: &'h Device| {
        let facts = house.facts(device)?;
        let call = wish.call(facts, device, lexicon);
        Some(call.map(|call| Step {
            device,
            facts,
            call,
        }))
    };
    match named {
        Named::Devices(devices) => {
            let mut steps = Vec::new();
            for device in devices {
                match step(device)? {
                    Ok(step) => steps.push(step),
                    Err(why) => return Some(Meaning::Cannot(why, vec![device])),
                }
            }
            Some(Meaning::Do(steps, Vec::new()))
        }
        Named::Set(set) => Some(set_orders(&wish, set, &step)),
        Named::OneOf(devices) => Some(Meaning::WhichOne(wish, devices)),
        Named::Room(_, devices) => {
            let can =
                |device: &&Device| matches!(step_of(house, &wish, device, lexicon), Some(Ok(_)));
            let able: Vec<&Device> = devices.into_iter().filter(can).collect();
            (!able.is_empty()).then_some(Meaning::WhichOne(wish, able))
        }
        Named::Nothing => None,
    }
}

fn step_of(
    house: &KnownHouse,
    wish: &Wish,
    device: &Device,
    lexicon: &Lexicon,
) -> Option<Result<DeviceCall, CallRefusal>> {
    Some(wish.call(house.facts(device)?, device, lexicon))
}

/// What an order comes to for a set: those that can do it, but what is guarded and, where nearly
/// everything is switched off, what keeps a house going.
fn set_orders<'h>(
    wish: &Wish,
    set: Set<'h>,
    step: &dyn Fn(&'h Device) -> Option<Result<Step<'h>, CallRefusal>>,
) -> Meaning<'h> {
    let (mut steps, mut left, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for device in &set.members {
        match step(device) {
            Some(Ok(step)) => {
                let off = step.call.action == Action::Off;
                if off && spares_the_essential(&set) && device.keeps_house_going() {
                    left.push(*device);
                } else {
                    steps.push(step);
                }
            }
            Some(Err(CallRefusal::Guarded)) => left.push(*device),
            Some(Err(why @ CallRefusal::OutOfRange(_))) => {
                return Meaning::Cannot(why, vec![*device]);
            }
            Some(Err(CallRefusal::Cannot)) => others.push(*device),
            None => {}
        }
    }
    let action = steps.first().map(|step| step.call.action);
    let may_be_everything = matches!(
        action,
        None | Some(Action::Off | Action::Close | Action::Lock)
    );
    let refused =
        action == Some(Action::Toggle) || set.of == Members::Everything && !may_be_everything;
    if refused {
        return Meaning::Cannot(CallRefusal::Cannot, set.members);
    }
    match steps.as_slice() {
        [] if !left.is_empty() => Meaning::Cannot(CallRefusal::Guarded, left),
        [] => Meaning::Cannot(CallRefusal::Cannot, others),
        steps if !set.is_of(steps.len()) => Meaning::WhichOne(wish.clone(), set.members),
        _ => Meaning::Do(steps, left),
    }
}

/// Takes apart the words that end with a property: "woonkamertemperatuur".
fn apart(tokens: &[Token], house: &KnownHouse, lexicon: &Lexicon) -> Vec<Token> {
    let may_be = |word: &Word| may_be_said(house.names(), word, lexicon.language);
    let mut all = Vec::new();
    for token in tokens {
        let unknown = token.word().filter(|word| {
            !word.is_number() && !may_be(word) && lexicon.elements.beginning_with(token).is_empty()
        });
        let parts = unknown.and_then(|word| {
            lexicon.property_words.iter().find_map(|property| {
                let property = words(property).pop()?;
                let begin = word.written().strip_suffix(property.written())?;
                let mut begins = ["", "s", "n"]
                    .iter()
                    .filter_map(|joint| begin.strip_suffix(joint));
                let begin = begins.find_map(|begin| words(begin).pop().filter(may_be))?;
                Some([begin, property])
            })
        });
        match parts {
            Some(parts) => all.extend(parts.into_iter().map(|word| Token {
                said: word.written().to_owned(),
                mark: Mark::Word(word),
                odd: false,
            })),
            None => all.push(token.clone()),
        }
    }
    all
}

/// What all ways to read something agree on. What can't be done yields to what can, and what asks or
/// asks back to nothing.
fn agreed(mut found: Vec<Meaning<'_>>) -> Read<'_> {
    let rank = |meaning: &Meaning| match meaning {
        Meaning::Unclear => 0,
        // A property by itself may be the name of a scene.
        Meaning::Asked(question) if question.is_bare() => 22,
        Meaning::Asked(question) => 1 + question.rank(),
        Meaning::WhichOne(..) | Meaning::WhatIsIt => 20,
        Meaning::Do(..) => 21,
        Meaning::Cannot(..) => 22,
        Meaning::Silent => 23,
    };
    found.sort_by_key(rank);
    if std::env::var_os("ZDEBUG").is_some() {
        for m in &found {
            match m {
                Meaning::Asked(q) => eprintln!(
                    "  {} {:?} {:?} {:?} room {:?} named {}",
                    rank(m),
                    q.ask,
                    q.about,
                    q.devices.iter().map(|d| &d.name.text).collect::<Vec<_>>(),
                    q.room,
                    q.named
                ),
                Meaning::Do(s, _) => eprintln!(
                    "  do {:?}",
                    s.iter()
                        .map(|s| (&s.device.name.text, &s.call))
                        .collect::<Vec<_>>()
                ),
                Meaning::WhichOne(_, d) => eprintln!(
                    "  which {:?}",
                    d.iter().map(|d| &d.name.text).collect::<Vec<_>>()
                ),
                other => eprintln!(
                    "  {}",
                    format!("{other:?}").chars().take(60).collect::<String>()
                ),
            }
        }
    }
    let mut all = found.into_iter();
    let Some(first) = all.next() else {
        return Read::Nothing;
    };
    let differs = matches!(first, Meaning::Do(..) | Meaning::Asked(_))
        && all.any(|other| rank(&other) == rank(&first) && other != first);
    if differs {
        Read::Differs
    } else {
        Read::Meant(first)
    }
}
