//! The host's half.

mod providers;
mod stand_in;
