//! Unit tests of `src/home/kind.rs`.

use super::*;

#[test]
fn each_kind_has_one_row_in_the_order_of_the_enum() {
    let kinds = KINDS.iter().map(|(kind, ..)| *kind as usize);
    assert!(kinds.eq(0..KINDS.len()));
    assert_eq!(KINDS.len(), Kind::Unread as usize + 1);
}
