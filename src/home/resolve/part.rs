//! Step 5: a part of a name, or a kind. Both readings together leave one.

use super::found::{Candidates, Resolved, add, decided};
use super::matching::{Sought, guesses};
use super::names::Names;
use super::said::Utterance;
use crate::home::device::Device;

/// The device whose name has all the words, and the one of the kind that they name.
pub(super) fn of_a_name_or_kind<'a>(
    names: &Names<'a>,
    readings: &[Utterance],
) -> Option<Resolved<'a>> {
    let (mut found, mut rivals) = (Candidates::new(), Candidates::new());
    for said in readings {
        let sought = Sought::new(said.slice());
        for (found, rival) in [(&mut found, false), (&mut rivals, true)] {
            add(found, parts_of_names(names, said, &sought, rival));
            add(found, of_kind(names, &sought));
        }
    }
    match found.as_slice() {
        [one]
            if readings
                .iter()
                .all(|said| guesses(&Sought::new(said.slice()), one)) =>
        {
            None
        }
        _ => decided(found, rivals),
    }
}

/// Every device whose name has all the words, perhaps with one for its kind, and its gateway's name.
fn parts_of_names<'a>(
    names: &Names<'a>,
    said: &Utterance,
    all: &Sought,
    rival: bool,
) -> Candidates<'a> {
    let fits = |device: &&Device| {
        let at_gateway = || {
            let used = said.positions(names.gateway(&device.id.gateway)?)?;
            let others = Sought::new(said.without(&used));
            Some(others.is_part_of_name(device, rival))
        };
        all.is_part_of_name(device, rival) || at_gateway() == Some(true)
    };
    names.devices.iter().copied().filter(fits).collect()
}

/// Every device of the kind that was said.
fn of_kind<'a>(names: &Names<'a>, sought: &Sought) -> Candidates<'a> {
    let devices = names.devices.iter().copied();
    devices
        .filter(|device| sought.is_only_kind(device))
        .collect()
}
