//! Values that completions offer, while any other text is taken as well.
//!
//! Most settings come from the environment too, and are judged in one place with one sentence. If the
//! library itself enforced a list, it would word a mistake differently.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

/// Takes any text, and offers these.
#[derive(Clone, Copy, Debug)]
pub struct Suggested<const N: usize>(pub [&'static str; N]);

impl<const N: usize> TypedValueParser for Suggested<N> {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        value
            .to_str()
            .map(str::to_owned)
            .ok_or_else(|| Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            self.0.iter().map(|value| PossibleValue::new(*value)),
        ))
    }
}
