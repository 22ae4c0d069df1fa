//! Finds the time in a sentence: "in ten minutes", "tomorrow at half past seven", "um 19:30 Uhr".

use super::element::TimeWord::{
    self, At, Before, DayAfter, Days, Evening, For, Friday, Hours, In, Long, Minus, Minutes,
    Monday, Morning, Night, Noon, Oclock, One, OneOclock, Past, Plus, Saturday, Seconds, Sunday,
    Thursday, Times, To, Today, Tomorrow, Tonight, Tuesday, Unclear, Wednesday, Weeks,
};
use super::lexicon::WordList::{self, Celsius, Degrees, Fahrenheit, Kelvin, Percent};
use super::lexicon::{Lexicon, first_word};
use super::tokens::{Sentence, Token};
use super::value::{read_number, read_whole_number};
use crate::assistant::due::{Day, DayPart, When};
use crate::home::word::words;

/// The days of the week, Monday first.
pub(super) const WEEKDAYS: [TimeWord; 7] = [
    Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday,
];

/// The units of spans in seconds, longest first.
pub(super) const UNITS: [(TimeWord, u32); 5] = [
    (Weeks, 604_800),
    (Days, 86_400),
    (Hours, 3600),
    (Minutes, 60),
    (Seconds, 1),
];

/// What a sentence says about the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::assistant) enum Timing {
    /// At this time. `is_bare` is true if the hour may also be an amount: "at 20".
    At { when: When, is_bare: bool },
    /// For a span: "for ten minutes".
    For,
    /// The time can be two times: "half seven".
    Unclear,
    /// There are two times.
    Several,
}

/// A sentence with a time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimedSentence {
    pub timing: Timing,
    /// The words of the time.
    pub time: String,
    /// The sentence without the time.
    pub rest: String,
    /// True if the time comes before everything else.
    pub is_first: bool,
    /// The ways to divide the rest at a joint.
    pub splits: Vec<Split>,
}

/// A sentence without its time, divided at a joint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Split {
    pub first: String,
    pub second: String,
    /// True if the time is in the second part.
    pub has_time_second: bool,
}

/// An hour with minutes.
#[derive(Clone, Copy)]
struct Clock {
    hour: u32,
    minute: u32,
    /// True if no other half of the day can be meant.
    is_exact: bool,
    /// True if it can only be a time.
    is_definite: bool,
}

enum TimePart {
    Span(f64),
    Lasting,
    Clock(Clock),
    Unclear,
    /// Words for the day or the part of the day.
    Marks(Vec<TimeWord>),
}

/// A piece is what stands between two spaces.
struct TimeReader<'l> {
    lexicon: &'l Lexicon,
    tokens: Vec<Token>,
    /// The index of each token's piece.
    piece_of: Vec<usize>,
    /// For each token, the time in digits that begins there, and its number of tokens: "19:30".
    digital: Vec<Option<(usize, Clock)>>,
}

impl Lexicon {
    /// Reads a sentence with a time. Returns `None` if there is no time, or only a day or a part of the day.
    pub(super) fn read_time(&self, text: &str) -> Option<TimedSentence> {
        let pieces: Vec<&str> = text.split_whitespace().collect();
        let mut reader = TimeReader {
            lexicon: self,
            tokens: Vec::new(),
            piece_of: Vec::new(),
            digital: Vec::new(),
        };
        for (index, piece) in pieces.iter().enumerate() {
            let tokens = Sentence::read(piece)?.tokens;
            reader.digital.push(read_digits(piece));
            reader.digital.extend(tokens.iter().skip(1).map(|_| None));
            reader.digital.truncate(reader.tokens.len() + tokens.len());
            reader.piece_of.extend(tokens.iter().map(|_| index));
            reader.tokens.extend(tokens);
        }
        reader.read(&pieces)
    }

    /// Returns the first word of this use, as text: "tomorrow".
    pub(super) fn time_word(&self, word: TimeWord) -> String {
        let patterns = self.table.when.get(&word).and_then(|patterns| patterns.first());
        patterns.map(|pattern| first_word(pattern)).unwrap_or_default()
    }
}

impl TimeReader<'_> {
    fn read(&self, pieces: &[&str]) -> Option<TimedSentence> {
        let mut taken = vec![false; self.tokens.len()];
        let (mut timing, mut marks) = (None, Vec::new());
        let mut clock = None;
        let mut at = 0;
        while at < self.tokens.len() {
            let Some((length, part)) = self.part_at(at) else {
                at += 1;
                continue;
            };
            taken.iter_mut().skip(at).take(length).for_each(|token| *token = true);
            at += length;
            let new = match part {
                TimePart::Marks(more) => {
                    marks.extend(more);
                    continue;
                }
                TimePart::Lasting => Timing::For,
                TimePart::Unclear => Timing::Unclear,
                TimePart::Span(seconds) => Timing::At {
                    when: When::After(seconds.round() as u32),
                    is_bare: false,
                },
                TimePart::Clock(found) => {
                    clock = Some(found);
                    Timing::Several
                }
            };
            timing = match timing {
                None => Some(new),
                Some(Timing::For) => Some(Timing::For),
                Some(_) if new == Timing::For => Some(Timing::For),
                Some(_) => {
                    clock = None;
                    Some(Timing::Several)
                }
            };
        }
        let mut timing = timing?;
        match (clock, timing) {
            (Some(clock), Timing::Several) => timing = with_marks(clock, &marks),
            (_, Timing::At { .. }) if !marks.is_empty() => timing = Timing::Several,
            _ => {}
        }
        self.divide(pieces, &taken, timing)
    }

    /// Divides the sentence into the time and the rest. Returns `None` if the time has only a part of a piece.
    fn divide(&self, pieces: &[&str], taken: &[bool], timing: Timing) -> Option<TimedSentence> {
        let tokens = || self.piece_of.iter().zip(taken).enumerate();
        let is_time: Vec<bool> = (0..pieces.len())
            .map(|piece| tokens().any(|(_, (of, taken))| *of == piece && *taken))
            .collect();
        let is_cut = |(at, (of, taken)): (usize, (&usize, &bool))| {
            !taken
                && is_time.get(*of) == Some(&true)
                && self.tokens.get(at).is_some_and(|token| !token.is_break())
        };
        if tokens().any(is_cut) {
            return None;
        }
        let join = |from: usize, to: usize, of_time: bool| {
            let pieces = pieces.iter().zip(&is_time).take(to).skip(from);
            let kept = pieces.filter(|(_, is_time)| **is_time == of_time).map(|(piece, _)| *piece);
            kept.collect::<Vec<_>>().join(" ")
        };
        let end = pieces.len();
        let mut rest = join(0, end, false);
        // The question mark may stand behind the time.
        if pieces.iter().any(|piece| piece.contains('?')) && !rest.contains('?') {
            rest.push('?');
        }
        let first_time = is_time.iter().position(|is_time| *is_time)?;
        let conjunctions = (1..self.tokens.len()).filter_map(|at| {
            let length = self.lexicon.length_at(WordList::Conjunctions, &self.tokens, at)?;
            Some((*self.piece_of.get(at)?, *self.piece_of.get(at + length)?))
        });
        let commas =
            pieces.iter().enumerate().filter(|(_, piece)| piece.ends_with([',', ';', '.']));
        let joints = conjunctions.chain(commas.map(|(at, _)| (at + 1, at + 1)));
        let splits = joints
            .map(|(before, after)| Split {
                first: join(0, before, false),
                second: join(after, end, false),
                has_time_second: after <= first_time,
            })
            .collect();
        Some(TimedSentence {
            timing,
            time: join(0, end, true).trim_end_matches(['?', '.', '!', ',']).to_owned(),
            is_first: first_time == 0,
            rest,
            splits,
        })
    }

    fn part_at(&self, at: usize) -> Option<(usize, TimePart)> {
        let introduced = |word| self.lengths(word, at).max();
        if let Some(intro) = introduced(In)
            && let Some((length, seconds)) = self.span_at(at + intro)
        {
            return Some((intro + length, TimePart::Span(seconds)));
        }
        if let Some(intro) = introduced(For)
            && let Some((length, _)) = self.span_at(at + intro)
        {
            let length = intro + length;
            return Some((length + self.length(Long, at + length), TimePart::Lasting));
        }
        if self.length(OneOclock, at) > 0 {
            let (length, clock) = self.clock_at(at, true)?;
            return Some((length, TimePart::Clock(clock)));
        }
        for word in [Times, At, Before] {
            for intro in self.lengths(word, at) {
                if self.is_unclear(at + intro) {
                    return Some((intro + 2, TimePart::Unclear));
                }
                let clock = self.clock_at(at + intro, word != Before);
                if let Some((length, clock)) =
                    clock.filter(|(_, clock)| word != Before || clock.is_definite)
                {
                    let is_definite = clock.is_definite || word == Times;
                    return Some((
                        intro + length,
                        TimePart::Clock(Clock {
                            is_definite,
                            ..clock
                        }),
                    ));
                }
            }
        }
        let span = self.span_at(at);
        let clock = self
            .clock_at(at, false)
            .filter(|(_, clock)| clock.is_definite && span.is_none());
        if let Some((length, clock)) = clock {
            return Some((length, TimePart::Clock(clock)));
        }
        if let Some((length, _)) = span {
            return Some((length + self.length(Long, at + length), TimePart::Lasting));
        }
        let (length, marks) = self.marks_at(at)?;
        Some((length, TimePart::Marks(marks)))
    }

    fn lengths(&self, word: TimeWord, at: usize) -> impl Iterator<Item = usize> {
        let matches = self.lexicon.times.all_at(&self.tokens, at);
        matches
            .filter(move |(_, (_, meaning))| *meaning == word)
            .map(|(length, _)| length)
    }

    /// Returns the length of this word at `at`, or 0 if it is not there.
    fn length(&self, word: TimeWord, at: usize) -> usize {
        self.lengths(word, at).max().unwrap_or(0)
    }

    fn whole_number_at(&self, at: usize, max: u32) -> Option<(usize, u32)> {
        let (length, number) = read_whole_number(&self.tokens, at, self.lexicon)?;
        let is_fit = number.fract() == 0.0 && (0.0..=f64::from(max)).contains(&number);
        is_fit.then_some((length, number as u32))
    }

    fn is_unclear(&self, at: usize) -> bool {
        let word = self.length(Unclear, at);
        word > 0 && self.whole_number_at(at + word, 12).is_some()
    }

    /// Returns the span at `at`, in seconds, and its number of tokens: "an hour and a half".
    fn span_at(&self, at: usize) -> Option<(usize, f64)> {
        if let Some((length, minutes)) = self.lexicon.spans.longest_at(&self.tokens, at) {
            return Some((length, f64::from(minutes) * 60.0));
        }
        let one = Some((self.length(One, at), 1.0)).filter(|(length, _)| *length > 0);
        let number = read_number(&self.tokens, at, self.lexicon);
        let mut candidates = number.into_iter().chain(one);
        let (mut length, unit, mut seconds) = candidates.find_map(|(length, number)| {
            let (word, unit) = self.unit_at(at + length)?;
            Some((length + word, unit, number * f64::from(unit)))
        })?;
        if let Some(half) = self.lexicon.length_at(WordList::AndAHalf, &self.tokens, at + length) {
            return Some((length + half, seconds + f64::from(unit) / 2.0));
        }
        let and = self.lexicon.length_at(WordList::Conjunctions, &self.tokens, at + length);
        let more_at = at + length + and.unwrap_or(0);
        if let Some((number_length, number)) = self.whole_number_at(more_at, 60)
            && let Some((word, smaller)) = self.unit_at(more_at + number_length)
            && smaller < unit
        {
            length = more_at + number_length + word - at;
            seconds += f64::from(number) * f64::from(smaller);
        }
        Some((length, seconds))
    }

    fn unit_at(&self, at: usize) -> Option<(usize, u32)> {
        let mut units = UNITS.iter().map(|(word, seconds)| (self.length(*word, at), *seconds));
        units.find(|(length, _)| *length > 0)
    }

    /// Returns the time at `at` and its number of tokens. Two numbers are a time only if `is_introduced`.
    fn clock_at(&self, at: usize, is_introduced: bool) -> Option<(usize, Clock)> {
        let clock = |hour: u32, minute: i32, is_definite| {
            let minutes = (hour.cast_signed() * 60 + minute).rem_euclid(24 * 60) as u32;
            Clock {
                hour: minutes / 60,
                minute: minutes % 60,
                // "Quarter to one" is 0:45 or 12:45.
                is_exact: hour == 0 || hour > 12,
                is_definite,
            }
        };
        let noon = self.length(Noon, at);
        if noon > 0 {
            return Some((
                noon,
                Clock {
                    is_exact: true,
                    ..clock(12, 0, true)
                },
            ));
        }
        if let Some((length, digits)) = self.digital.get(at).copied().flatten() {
            let oclock = self.length(Oclock, at + length);
            if digits.is_definite || is_introduced || oclock > 0 {
                return Some((
                    length + oclock,
                    Clock {
                        is_definite: true,
                        ..digits
                    },
                ));
            }
        }
        if let Some((before, minutes)) = self.lexicon.minutes_before.longest_at(&self.tokens, at)
            && let Some((length, hour)) = self.whole_number_at(at + before, 24)
        {
            let end = at + before + length;
            return Some((
                end + self.length(Oclock, end) - at,
                clock(hour, minutes, true),
            ));
        }
        let one = Some((self.length(OneOclock, at), 1)).filter(|(length, _)| *length > 0);
        let (length, hour) = one.or_else(|| self.whole_number_at(at, 60))?;
        for (word, sign) in [(Past, 1), (To, -1)] {
            let minutes = self.length(Minutes, at + length);
            let between = self.length(word, at + length + minutes);
            let start = at + length + minutes + between;
            if between > 0
                && let Some((inner, of)) = self.clock_at(start, false)
            {
                let minute = of.minute.cast_signed() + sign * hour.cast_signed();
                let is_exact = of.is_exact;
                return Some((
                    start + inner - at,
                    Clock {
                        is_exact,
                        ..clock(of.hour, minute, true)
                    },
                ));
            }
        }
        // "At 20 percent."
        let units = [Percent, Degrees, Celsius, Fahrenheit, Kelvin];
        let has_unit = |list| self.lexicon.has_at(list, &self.tokens, at + length);
        if hour > 24 || units.into_iter().any(has_unit) {
            return None;
        }
        let oclock = self.length(Oclock, at + length);
        let end = at + length + oclock;
        let has_oclock = oclock > 0;
        let found =
            |length: usize, minute: i32| Some((end + length - at, clock(hour, minute, true)));
        if has_oclock || is_introduced {
            if let Some((after, minutes)) = self.lexicon.minutes_after.longest_at(&self.tokens, end)
            {
                return found(after, minutes);
            }
            for (word, sign) in [(Plus, 1), (Minus, -1)] {
                let sign_length = self.length(word, end);
                if sign_length > 0
                    && let Some((number, minute)) = self.whole_number_at(end + sign_length, 59)
                {
                    return found(sign_length + number, sign * minute.cast_signed());
                }
            }
            if let Some((number, minute)) =
                self.whole_number_at(end, 59).filter(|(_, minute)| *minute > 9)
            {
                return found(number, minute.cast_signed());
            }
        }
        let has_part = self.marks_at(end).is_some_and(|(_, marks)| {
            marks.iter().any(|mark| [Morning, Evening, Night].contains(mark))
        });
        Some((
            end - at,
            clock(hour, 0, has_oclock || has_part || one.is_some()),
        ))
    }

    /// Returns the words at `at` for the day or the part of the day, and their number of tokens.
    fn marks_at(&self, at: usize) -> Option<(usize, Vec<TimeWord>)> {
        let all = self.lexicon.times.all_at(&self.tokens, at);
        let marks: Vec<(usize, TimeWord)> = all
            .map(|(length, (_, word))| (length, *word))
            .filter(|(_, word)| *word >= Today)
            .collect();
        let longest = marks.iter().map(|(length, _)| *length).max()?;
        let marks = marks.into_iter().filter(|(length, _)| *length == longest);
        Some((longest, marks.map(|(_, word)| word).collect()))
    }
}

/// Returns the time of the day that is said by digits alone, and its number of tokens: "19:30", "19h30", "7.30".
fn read_digits(piece: &str) -> Option<(usize, Clock)> {
    let digits = piece.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let (hour, minute) = digits.split_once([':', 'h', 'H', '.'])?;
    let is_number = |text: &str| text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(hour) || !is_number(minute) || hour.is_empty() || minute.len() != 2 {
        return None;
    }
    let (number, minute) = (hour.parse().ok()?, minute.parse().ok()?);
    let clock = Clock {
        hour: number,
        minute,
        is_exact: number > 12 || hour.starts_with('0'),
        // "7.30" is a number, too.
        is_definite: !digits.contains('.'),
    };
    (number < 24 && minute < 60).then(|| (words(digits).len(), clock))
}

/// Combines an hour with the words for the day and the part of the day.
fn with_marks(clock: Clock, marks: &[TimeWord]) -> Timing {
    let weekday = |mark: &TimeWord| WEEKDAYS.iter().position(|day| day == mark);
    let days = marks.iter().filter_map(|mark| match mark {
        Today => Some(Day::Today),
        Tonight => Some(Day::Tonight),
        Tomorrow => Some(Day::Tomorrow),
        DayAfter => Some(Day::DayAfter),
        mark => weekday(mark).map(|day| Day::Weekday(day as u8)),
    });
    let parts = marks.iter().filter_map(|mark| match mark {
        Morning => Some(DayPart::Morning),
        Evening => Some(DayPart::Evening),
        Night | Tonight => Some(DayPart::Night),
        _ => None,
    });
    let (days, parts): (Vec<Day>, Vec<DayPart>) = (days.collect(), parts.collect());
    if days.len() > 1 || parts.len() > 1 {
        return Timing::Several;
    }
    Timing::At {
        when: When::At {
            hour: clock.hour,
            minute: clock.minute,
            is_exact: clock.is_exact,
            part: parts.first().copied(),
            day: days.first().copied(),
        },
        is_bare: !clock.is_definite && marks.is_empty(),
    }
}
