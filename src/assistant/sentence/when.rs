//! Finds the time in a sentence ("in ten minutes", "tomorrow at half past seven", "um 19:30 Uhr"), and tells times.

use chrono::{Datelike, NaiveDateTime};

use super::element::TimeWord::{
    self, At, For, In, Long, Minus, Oclock, One, Past, Plus, Times, To, Unclear,
};
use super::lexicon::WordList::{self, Celsius, Degrees, Fahrenheit, Kelvin, Percent};
use super::lexicon::{Lexicon, first_word, lexicon_for};
use super::tokens::{Sentence, Token};
use super::value::{read_number, read_whole_number};
use crate::assistant::due::{Day, DayPart, DayTime, When};

/// A span that something is to last: "for ten minutes".
const LASTING: Result<When, &str> = Err("for_a_while");

const MINUTES_OF_DAY: i32 = 24 * 60;

/// A sentence with a time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimedSentence {
    /// The time. The error is the name of the phrase that says why no order can be for this time.
    pub when: Result<When, &'static str>,
    /// The words of the time.
    pub time: String,
    /// The sentence without the time.
    pub rest: String,
    /// True if the time comes before everything else.
    pub is_first: bool,
}

/// Returns true if a time may also be an amount: "at 20".
pub(super) fn may_be_amount(when: &Result<When, &str>) -> bool {
    matches!(when, Ok(When::At(time)) if !time.is_definite)
}

/// Words that say something about the time.
enum TimePart {
    Time(Result<When, &'static str>),
    Marks(Option<Day>, Option<DayPart>),
}

/// A text in tokens, which are the same in every language.
pub(super) struct TimeText<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// For each token, the index of its piece. A piece is what stands between two spaces.
    pieces: Vec<usize>,
    /// The tokens with the hour of a time in digits: "19:30".
    digital: Vec<usize>,
}

struct TimeReader<'l> {
    lexicon: &'l Lexicon,
    text: &'l TimeText<'l>,
}

impl<'t> TimeText<'t> {
    /// Splits a text into tokens. Returns `None` if a piece of it is too long.
    pub fn read(text: &'t str) -> Option<Self> {
        let mut read = Self {
            text,
            tokens: Vec::new(),
            pieces: Vec::new(),
            digital: Vec::new(),
        };
        for (index, piece) in text.split_whitespace().enumerate() {
            let digits = split_digits(piece);
            // "7.30" may be another number.
            if digits.is_some() && piece.contains([':', 'h', 'H']) {
                read.digital.push(read.tokens.len());
            }
            let tokens = Sentence::read(digits.as_deref().unwrap_or(piece))?.tokens;
            read.pieces.extend(tokens.iter().map(|_| index));
            read.tokens.extend(tokens);
        }
        Some(read)
    }
}

impl Lexicon {
    /// Reads a sentence with a time, as [`find_time`](Self::find_time) does.
    pub(super) fn read_time(&self, text: &str) -> Option<TimedSentence> {
        self.find_time(&TimeText::read(text)?)
    }

    /// Finds the time in a sentence. Returns `None` if there is no time, or only a day or a part of the day.
    pub(super) fn find_time(&self, said: &TimeText) -> Option<TimedSentence> {
        let reader = TimeReader {
            lexicon: self,
            text: said,
        };
        let (taken, when) = reader.read()?;
        let (mut time, mut rest, mut is_first) = (Vec::new(), Vec::new(), false);
        for (index, piece) in said.text.split_whitespace().enumerate() {
            let tokens = said.tokens.iter().zip(&said.pieces).zip(&taken);
            let words = tokens.filter(|((token, of), _)| **of == index && !token.is_break());
            let (of_time, others): (Vec<_>, Vec<_>) = words.partition(|(_, taken)| **taken);
            if of_time.is_empty() {
                rest.push(piece);
            } else if others.is_empty() {
                is_first |= rest.is_empty();
                time.push(piece);
            } else {
                return None;
            }
        }
        let mut rest = rest.join(" ");
        // The question mark may stand behind the time.
        if said.text.contains('?') && !rest.contains('?') {
            rest.push('?');
        }
        Some(TimedSentence {
            when,
            time: time.join(" ").trim_end_matches(['?', '.', '!', ',']).to_owned(),
            rest,
            is_first,
        })
    }
}

impl TimeReader<'_> {
    /// Returns which tokens belong to the time, and the time.
    fn read(&self) -> Option<(Vec<bool>, Result<When, &'static str>)> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.text.tokens.len() {
            let part = self.part_at(at);
            let end = at + part.as_ref().map_or(1, |(length, _)| *length);
            found.extend(part.map(|(_, part)| (at..end, part)));
            at = end;
        }
        // Beside a time, "at 20" is an amount.
        let is_amount =
            |part: &TimePart| matches!(part, TimePart::Time(when) if may_be_amount(when));
        let is_time = |part: &TimePart| matches!(part, TimePart::Time(_)) && !is_amount(part);
        if found.iter().any(|(_, part)| is_time(part)) {
            found.retain(|(_, part)| !is_amount(part));
        }
        let mut taken = vec![false; self.text.tokens.len()];
        let (mut times, mut days, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (place, part) in found {
            taken.get_mut(place).unwrap_or_default().fill(true);
            match part {
                TimePart::Time(time) => times.push(time),
                TimePart::Marks(day, part) => {
                    days.extend(day);
                    parts.extend(part);
                }
            }
        }
        days.dedup();
        parts.dedup();
        let when = match (times.as_slice(), days.as_slice(), parts.as_slice()) {
            ([], ..) => return None,
            (times, ..) if times.contains(&LASTING) => LASTING,
            ([Ok(When::At(time))], [] | [_], [] | [_]) => Ok(When::At(DayTime {
                is_definite: time.is_definite || !days.is_empty() || !parts.is_empty(),
                part: parts.first().copied().or(time.part),
                day: days.first().copied(),
                ..*time
            })),
            ([Err(phrase)], ..) => Err(*phrase),
            ([span], [], []) => *span,
            _ => Err("ambiguous"),
        };
        Some((taken, when))
    }

    /// Returns what begins at `at`, and its number of tokens.
    fn part_at(&self, at: usize) -> Option<(usize, TimePart)> {
        let intro = self.length(In, at);
        if intro > 0
            && let Some((length, seconds)) = self.span_at(at + intro)
        {
            let when = When::After(seconds.round() as u32);
            return Some((intro + length, TimePart::Time(Ok(when))));
        }
        let intro = self.length(For, at);
        if let Some((length, _)) = self.span_at(at + intro) {
            let end = at + intro + length;
            return Some((end + self.length(Long, end) - at, TimePart::Time(LASTING)));
        }
        let found = |length, time| Some((length, TimePart::Time(Ok(When::At(time)))));
        for word in [Times, At] {
            for intro in self.lengths(word, at) {
                let unclear = self.length(Unclear, at + intro);
                if unclear > 0
                    && let Some((length, _)) = self.number_at(at + intro + unclear, 12)
                {
                    let part = TimePart::Time(Err("time_unclear"));
                    return Some((intro + unclear + length, part));
                }
                if let Some((length, mut time)) = self.clock_at(at + intro, Some(word)) {
                    time.is_definite |= word == Times;
                    return found(intro + length, time);
                }
            }
        }
        if let Some((length, time)) = self.clock_at(at, None)
            && time.is_definite
        {
            return found(length, time);
        }
        let day = self.lexicon.days.longest_at(&self.text.tokens, at);
        let part = self.lexicon.day_parts.longest_at(&self.text.tokens, at);
        let length = day.map(|(length, _)| length).max(part.map(|(length, _)| length))?;
        let day = day.filter(|day| day.0 == length).map(|(_, day)| day);
        let part = part.filter(|part| part.0 == length).map(|(_, part)| part);
        Some((length, TimePart::Marks(day, part)))
    }

    fn lengths(&self, word: TimeWord, at: usize) -> impl Iterator<Item = usize> {
        let matches = self.lexicon.times.all_at(&self.text.tokens, at);
        matches
            .filter(move |(_, (_, meaning))| *meaning == word)
            .map(|(length, _)| length)
    }

    /// Returns the length of this word at `at`, or 0 if it is not there.
    fn length(&self, word: TimeWord, at: usize) -> usize {
        self.lengths(word, at).max().unwrap_or(0)
    }

    fn number_at(&self, at: usize, max: u32) -> Option<(usize, i32)> {
        let (length, number) = read_whole_number(&self.text.tokens, at, self.lexicon)?;
        let is_fit = number.fract() == 0.0 && number <= f64::from(max);
        is_fit.then_some((length, number as i32))
    }

    /// Returns the span at `at`, in seconds, and its number of tokens: "an hour and a half".
    fn span_at(&self, at: usize) -> Option<(usize, f64)> {
        if let Some((length, minutes)) = self.lexicon.spans.longest_at(&self.text.tokens, at) {
            return Some((length, f64::from(minutes) * 60.0));
        }
        let unit_at = |at| self.lexicon.units.longest_at(&self.text.tokens, at);
        let one = Some((self.length(One, at), 1.0)).filter(|(length, _)| *length > 0);
        let number = read_number(&self.text.tokens, at, self.lexicon);
        let (length, unit, seconds) =
            number.into_iter().chain(one).find_map(|(length, number)| {
                let (word, unit) = unit_at(at + length)?;
                Some((length + word, unit, number * f64::from(unit)))
            })?;
        let end = at + length;
        if let Some(half) = self.lexicon.length_at(WordList::AndAHalf, &self.text.tokens, end) {
            return Some((length + half, seconds + f64::from(unit) / 2.0));
        }
        let and = self.lexicon.length_at(WordList::Conjunctions, &self.text.tokens, end);
        let more_at = end + and.unwrap_or(0);
        let more = self.number_at(more_at, 60).and_then(|(number_length, number)| {
            let (word, smaller) = unit_at(more_at + number_length)?;
            let length = more_at + number_length + word - at;
            (smaller < unit).then(|| (length, seconds + f64::from(number * smaller)))
        });
        more.or(Some((length, seconds)))
    }

    /// Returns the time of the day at `at`, and its number of tokens. `intro` is the word before it, if one of these
    /// introduces it.
    fn clock_at(&self, at: usize, intro: Option<TimeWord>) -> Option<(usize, DayTime)> {
        if let Some((before, minutes)) = self.minutes_before_at(at)
            && let Some((length, time)) = self.clock_at(at + before, None)
        {
            return Some((before + length, plus(time, minutes)));
        }
        let named = self.lexicon.hours.longest_at(&self.text.tokens, at);
        let one = Some((self.length(One, at), 1)).filter(|(length, _)| {
            *length > 0 && (intro == Some(Times) || self.length(Oclock, at + length) > 0)
        });
        let (length, hour) = named.or_else(|| self.number_at(at, 24)).or(one)?;
        let oclock = self.length(Oclock, at + length);
        let mut end = at + length + oclock;
        let mut time = DayTime {
            minute: (hour * 60 % MINUTES_OF_DAY).unsigned_abs(),
            is_exact: named == Some((length, 12)) || self.has_zero(at) || hour == 0 || hour > 12,
            is_definite: named.is_some() || oclock > 0 || self.text.digital.contains(&at),
            // "Tomorrow at midnight" can be either end of the day, and asks.
            part: (hour == 24).then_some(DayPart::Night),
            day: None,
        };
        if let Some((after, minutes)) = self.minutes_after_at(end) {
            let oclock = self.length(Oclock, end + after);
            if time.is_definite || intro.is_some() || oclock > 0 {
                end += after + oclock;
                time = plus(time, minutes);
            }
        }
        time.is_definite |= self.lexicon.day_parts.longest_at(&self.text.tokens, end).is_some();
        // "At 20 percent" is no time.
        (!self.has_unit(end)).then_some((end - at, time))
    }

    fn has_zero(&self, at: usize) -> bool {
        self.text.tokens.get(at).is_some_and(|token| token.said.starts_with('0'))
    }

    fn has_unit(&self, at: usize) -> bool {
        let units = [Percent, Degrees, Celsius, Fahrenheit, Kelvin];
        units.into_iter().any(|list| self.lexicon.has_at(list, &self.text.tokens, at))
    }

    /// Returns the minutes before an hour, and their number of tokens: "half past", "ten minutes to".
    fn minutes_before_at(&self, at: usize) -> Option<(usize, i32)> {
        let phrase = self.lexicon.minutes_before.longest_at(&self.text.tokens, at);
        phrase.or_else(|| {
            let (length, number) = self.number_at(at, 59)?;
            let unit = self.lexicon.units.longest_at(&self.text.tokens, at + length);
            let length = length + unit.map_or(0, |(length, _)| length);
            let signs = [
                (self.length(Past, at + length), 1),
                (self.length(To, at + length), -1),
            ];
            let (word, sign) = signs.into_iter().find(|(word, _)| *word > 0)?;
            Some((length + word, sign * number))
        })
    }

    /// Returns the minutes behind an hour, and their number of tokens: "y media", "menos diez", "30".
    fn minutes_after_at(&self, at: usize) -> Option<(usize, i32)> {
        let phrase = self.lexicon.minutes_after.longest_at(&self.text.tokens, at);
        phrase.or_else(|| {
            let signs = [(self.length(Plus, at), 1), (self.length(Minus, at), -1)];
            let (word, sign) = signs.into_iter().find(|(word, _)| *word > 0).unwrap_or((0, 1));
            let (length, number) = self.number_at(at + word, 59)?;
            let is_minutes = word > 0 || number > 9 || self.has_zero(at);
            let end = at + word + length;
            (is_minutes && !self.has_unit(end)).then_some((end - at, sign * number))
        })
    }
}

/// Adds minutes to a time. The day stays the same.
fn plus(time: DayTime, minutes: i32) -> DayTime {
    let minute = (time.minute.cast_signed() + minutes).rem_euclid(MINUTES_OF_DAY);
    DayTime {
        minute: minute.unsigned_abs(),
        is_definite: true,
        ..time
    }
}

/// Divides a time in digits into two numbers: "19:30", "19h30", "7.30".
fn split_digits(piece: &str) -> Option<String> {
    let digits = piece.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let (hour, minute) = digits.split_once([':', 'h', 'H', '.'])?;
    let is_number =
        |text: &str, max: u32| text.len() <= 2 && text.parse().is_ok_and(|n: u32| n < max);
    let is_time = is_number(hour, 25) && is_number(minute, 60) && minute.len() == 2;
    is_time.then(|| format!("{hour} {}", piece.get(hour.len() + 1..).unwrap_or_default()))
}

/// Tells a time: "19:00", "tomorrow, 07:00". Without a known zone, the times are in UTC.
pub(in crate::assistant) fn tell_time(
    language: &str,
    due: NaiveDateTime,
    now: NaiveDateTime,
    is_zone_known: bool,
) -> String {
    let days = &lexicon_for(Some(language)).table.days;
    let is_soon = (due - now).num_seconds().abs() < 120;
    let clock = due.format(if is_soon { "%H:%M:%S" } else { "%H:%M" });
    let zone = if is_zone_known { "" } else { " UTC" };
    let key = match (due.date() - now.date()).num_days() {
        0 => return format!("{clock}{zone}"),
        1 => "1".to_owned(),
        _ => due.weekday().to_string(),
    };
    let day = days.get(&key).and_then(|patterns| patterns.first());
    let day = day.map(|pattern| first_word(pattern)).unwrap_or_default();
    format!("{day}, {clock}{zone}")
}

/// Tells a span: "12 minutes".
pub(in crate::assistant) fn tell_span(language: &str, seconds: u32) -> String {
    let units = &lexicon_for(Some(language)).table.units;
    let units = units.iter().filter_map(|(unit, patterns)| Some((unit.parse().ok()?, patterns)));
    // Two hours are told in hours, and less in minutes.
    let fitting = units.filter(|(unit, _): &(u32, _)| seconds >= 2 * unit || *unit == 1);
    let Some((unit, patterns)) = fitting.max_by_key(|(unit, _)| *unit) else {
        return String::new();
    };
    let number = (seconds + unit / 2) / unit;
    let mut words = patterns.first().into_iter().flat_map(|pattern| pattern.split('/'));
    let word = words.nth(usize::from(number == 1)).unwrap_or_default();
    format!("{number} {word}")
}
