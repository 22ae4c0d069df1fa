//! A table of products whose device class is misleading, as listed in Home Assistant's Z-Wave discovery. The
//! table overrides the class.

use super::model::ids::CommandClass as Cc;
use super::model::node::{Node, Product};

/// The true nature of an endpoint of a listed product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// A fan.
    Fan,
    /// A shutter, blind or shade.
    Cover,
    /// Slats that are open at the middle level, and closed at the lowest and the highest level.
    Slats,
    /// The slats of a cover that has its position on another endpoint.
    Tilt,
    /// A copy of another endpoint.
    Repeats,
    /// A gate.
    Gate,
    /// A switch, although the endpoint may have levels.
    Switch,
}

/// A maker, a family, products of that family, an endpoint (`None` for all endpoints), and the nature.
type ProductRow = (u16, u16, &'static [u16], Option<u8>, Nature);

const TABLE: &[ProductRow] = &[
    // Honeywell 39358; GE and Jasco; Leviton ZW4SF; HomeSeer FC200; Inovelli LZW36, whose
    // endpoint 1 is a light.
    (0x0039, 0x4944, &[0x3131], None, Nature::Fan),
    (0x0063, 0x4944, &[0x3034, 0x3131, 0x3138], None, Nature::Fan),
    (0x001D, 0x0038, &[0x0002], None, Nature::Fan),
    (0x000C, 0x0203, &[0x0001], None, Nature::Fan),
    (0x031E, 0x000E, &[0x0001], Some(2), Nature::Fan),
    // Fibaro FGR-222 and FGS-222; FGR-223.
    (0x010F, 0x0301, &[0x1000], None, Nature::Cover),
    (0x010F, 0x0302, &[0x1000], None, Nature::Cover),
    (0x010F, 0x0303, &[0x1000], Some(0), Nature::Repeats),
    (0x010F, 0x0303, &[0x1000], Some(1), Nature::Cover),
    (0x010F, 0x0303, &[0x1000], Some(2), Nature::Tilt),
    // Qubino; Merten 507801; Graber and Bali; iBlinds v2; Zvidar.
    (0x0159, 0x0003, &[0x0052], None, Nature::Cover),
    (0x007A, 0x8003, &[0x0001], None, Nature::Cover),
    (0x026E, 0x4353, &[0x5A31], None, Nature::Cover),
    (0x0287, 0x0003, &[0x000D], None, Nature::Slats),
    (0x045A, 0x0904, &[0x0507], None, Nature::Cover),
    // Shelly Wave Shutter.
    (0x0460, 0x0003, &[0x0082], Some(0), Nature::Repeats),
    (0x0460, 0x0003, &[0x0082], Some(1), Nature::Cover),
    (0x0460, 0x0003, &[0x0082], Some(2), Nature::Tilt),
    // Nice IBT4ZWAVE.
    (0x0441, 0x2400, &[0x1000], None, Nature::Gate),
    // Vision ZL7432.
    (0x0109, 0x2017, &[0x1711], None, Nature::Switch),
];

/// Looks up an endpoint's nature by the node's product. Returns `None` if the product is not in the table, or if
/// the endpoint lacks the command class that would control it.
pub fn nature_of(node: &Node, endpoint: u8) -> Option<Nature> {
    let Product { maker, family, id } = node.product?;
    let (.., nature) = TABLE.iter().find(|(row_maker, row_family, products, index, _)| {
        (*row_maker, *row_family) == (maker, family)
            && products.contains(&id)
            && index.is_none_or(|index| index == endpoint)
    })?;
    let class = match nature {
        Nature::Switch => Cc::BINARY_SWITCH,
        Nature::Fan
        | Nature::Cover
        | Nature::Slats
        | Nature::Gate
        | Nature::Tilt
        | Nature::Repeats => Cc::MULTILEVEL_SWITCH,
    };
    node.has(endpoint, class).then_some(*nature)
}
