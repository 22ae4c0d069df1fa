//! What a resource tells, and whether it still tells the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value as Json;

use super::address::{Address, Places};
use crate::gateway::{SiteView, Trouble, View};
use crate::mcp::list;

/// Why a resource can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such device.
    Nothing,
    /// Nothing is known of the house: why, and what to do.
    House(String),
}

/// A resource's content: the facts of the list, all devices among them, also the dead ones.
pub fn content(view: &View, places: &Places, address: &Address) -> Result<Json, Missing> {
    match address {
        Address::House => list::house_json(view).map_err(Missing::House),
        Address::Device { .. } => match places.find(view.house, address) {
            Some(device) => Ok(list::device_json(view, device)),
            None => Err(list::house_known(view).map_or_else(Missing::House, |()| Missing::Nothing)),
        },
    }
}

/// The house without what only time changes: for how long something has been so.
pub fn timeless<'a>(view: &View<'a>) -> View<'a> {
    let sites = view.sites.iter().map(|site| SiteView {
        trouble: site.trouble.as_ref().map(Trouble::undated),
        age: None,
        ..site.clone()
    });
    View {
        house: view.house,
        sites: sites.collect(),
        trouble: view.trouble.as_ref().map(Trouble::undated),
        now: view.now,
    }
}

/// A number that is another one when the resource's facts are others. The view must be
/// [`timeless`].
pub fn print(view: &View, places: &Places, address: &Address) -> u64 {
    let mut hasher = DefaultHasher::new();
    match content(view, places, address) {
        Ok(mut content) => {
            forget_spans(&mut content);
            content.to_string().hash(&mut hasher);
        }
        Err(Missing::House(why)) => why.hash(&mut hasher),
        Err(Missing::Nothing) => {}
    }
    hasher.finish()
}

/// That something is silent is a fact; that it still is, an hour later, is none.
fn forget_spans(json: &mut Json) {
    if let Some(silence) = json.get_mut("silentFor") {
        *silence = Json::Bool(true);
    }
    if let Some(Json::Array(devices)) = json.get_mut("devices") {
        devices.iter_mut().for_each(forget_spans);
    }
}
