//! Finds the devices that are meant without being named: by a pronoun, by an order that fits few devices, or by "stop".

use super::super::clause::Clause;
use super::super::context::Context;
use super::super::element::{Instruction, Pronoun};
use super::super::order::{Order, THERMOSTAT};
use super::super::target::{Named, Rest};
use super::Reader;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::names::{Resolved, prefer};
use crate::home::only;

impl<'h> Reader<'h, '_> {
    /// Finds the devices for an order without a name: "turn it off", or only "stop", "brighter" or "50 percent".
    /// `refers` is true if the order needs a device that was mentioned.
    pub(super) fn find_unsaid(
        &self,
        order: &Order,
        clause: &Clause,
        rest: &Rest<'h, '_>,
        previous: &[&'h Device],
        refers: bool,
    ) -> Option<Named<'h>> {
        if clause.pronoun.is_none() && order.command == Some(Instruction::Stop) {
            return Some(Named::earlier(self.stoppable_devices()));
        }
        // After another clause, a value may belong to that clause.
        let is_complete = order.command.is_some() || previous.is_empty();
        let is_value_alone = order.value.is_some() && clause.property.is_none();
        let may_refer = refers || is_value_alone && is_complete;
        let pronoun = clause.pronoun.or(may_refer.then_some(Pronoun::It));
        let referred = pronoun.and_then(|pronoun| self.resolve_pronoun(pronoun, previous));
        // "I'm cold" is about what sets the temperature, whatever was mentioned.
        let is_of_climate = order.may_step() && order.implied_kind() == Some(THERMOSTAT);
        let unnamed = (is_of_climate || !refers).then(|| self.find_unnamed(order, rest));
        let can = |device: &&Device| order.call(self.house.facts(device), device).is_ok();
        let able = referred.clone().filter(|devices| devices.iter().any(can)).map(Named::earlier);
        let named = able.or(unnamed.filter(|named| !named.target.is_miss()));
        named.or(referred.map(Named::earlier))
    }

    /// Returns the devices that were last spoken of and can be stopped, or else all that can be stopped.
    fn stoppable_devices(&self) -> Vec<&'h Device> {
        let can_stop = |device: &&Device| self.house.facts(device).can(Action::Stop);
        let mut devices = self.devices(&self.context.last);
        devices.retain(can_stop);
        if devices.is_empty() {
            devices = self.house.names.devices().iter().filter(can_stop).collect();
            self.prefer_asker_room(&mut devices);
        }
        devices
    }

    /// Keeps only the devices in the room in which the sentence was said, if there are any.
    fn prefer_asker_room(&self, devices: &mut Vec<&'h Device>) {
        if let Some(room) = self.asker {
            prefer(devices, |device| device.room == room);
        }
    }

    /// Finds the device for an order that names none, such as "set the temperature to 21 degrees". If several devices
    /// can carry the order out, each may be meant.
    fn find_unnamed(&self, order: &Order, rest: &Rest<'h, '_>) -> Named<'h> {
        let named = rest.find_to_control(order);
        let is_able = |device: &&Device| order.call(self.house.facts(device), device).is_ok();
        let mut able: Vec<&Device> = self.house.names.devices().iter().filter(is_able).collect();
        let target = match named.target {
            Resolved::One(_) if able.len() > 1 => {
                self.prefer_asker_room(&mut able);
                only(able.iter().copied()).map_or(Resolved::Tie(able), Resolved::One)
            }
            target => target,
        };
        Named { target, ..named }
    }

    /// Returns the other device that has the same room and categories as the last device. Returns no device
    /// if there are several such devices, or if several devices were last spoken of.
    fn find_other(&self, last: &[&'h Device]) -> Option<&'h Device> {
        let last = only(last)?;
        let is_other = |device: &&Device| {
            device.id != last.id && device.room == last.room && device.categories == last.categories
        };
        only(self.house.names.devices().iter().filter(is_other))
    }

    /// Returns the devices that a pronoun refers to, or `None` if there are no such devices. "It" and "them"
    /// are the devices of the previous order in the sentence, or else those that were last spoken of. After "Which
    /// one?", "them" are those that it offers. "Both" are they if they are two. "The other one" means the devices
    /// that "Which one?" offered and the user did not choose, or else the result of `find_other`.
    pub(super) fn resolve_pronoun(
        &self,
        pronoun: Pronoun,
        previous: &[&'h Device],
    ) -> Option<Vec<&'h Device>> {
        let Context { last, others, .. } = self.context;
        let devices = match (pronoun, &self.context.pending) {
            (Pronoun::Other, _) if others.is_empty() => {
                Vec::from_iter(self.find_other(&self.devices(last)))
            }
            (Pronoun::Other, _) => Vec::from_iter(only(self.devices(others))),
            _ if !previous.is_empty() => previous.to_vec(),
            (Pronoun::Them | Pronoun::Both, Some(pending)) => self.devices(&pending.names),
            _ => self.devices(last),
        };
        let fits = pronoun != Pronoun::Both || devices.len() == 2;
        (fits && !devices.is_empty()).then_some(devices)
    }

    /// Returns the devices with these control names.
    pub(super) fn devices(&self, names: &[String]) -> Vec<&'h Device> {
        names.iter().filter_map(|name| self.house.device(name)).collect()
    }
}
