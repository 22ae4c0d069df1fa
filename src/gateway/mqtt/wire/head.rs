//! Reads the head of a PUBLISH packet that has not arrived completely.

/// The type of a PUBLISH packet, in the upper half of its first byte.
pub(super) const PUBLISH: u8 = 3;

/// The head of a PUBLISH packet (MQTT 3.1.1, section 3.3): everything before the payload.
pub(super) struct Head<'a> {
    /// The packet's first byte.
    pub type_and_flags: u8,
    pub topic: &'a [u8],
    /// The packet identifier; 0 with QoS 0.
    pub identifier: u16,
    /// The length of the head.
    pub length: usize,
}

/// Reads the head of a packet as if it were a PUBLISH; returns `None` if the head is incomplete.
pub(super) fn head_of(bytes: &[u8]) -> Option<Head<'_>> {
    let (type_and_flags, rest) = bytes.split_first()?;
    // In the last byte of the packet's length, the highest bit is 0.
    let length_bytes = 1 + rest.iter().position(|byte| byte & 0x80 == 0)?;
    let (topic_length, rest) = rest.get(length_bytes..)?.split_first_chunk()?;
    let (topic, rest) = rest.split_at_checked(u16::from_be_bytes(*topic_length).into())?;
    // Only a packet with a QoS above 0 has an identifier.
    let has_identifier = type_and_flags & 0b110 != 0;
    let identifier = if has_identifier {
        *rest.first_chunk()?
    } else {
        [0, 0]
    };
    Some(Head {
        type_and_flags: *type_and_flags,
        topic,
        identifier: u16::from_be_bytes(identifier),
        length: 1 + length_bytes + 2 + topic.len() + 2 * usize::from(has_identifier),
    })
}
