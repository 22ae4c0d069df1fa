//! A table of values by folded texts.

use ecow::EcoString;

/// Values by texts. Sorted lists take a third of the memory of a hash table: the server holds thousands of texts for as
/// long as it runs.
pub(super) struct ByText<V> {
    /// In order. A text with several values is in the list several times.
    texts: Vec<EcoString>,
    /// The value of each text in `texts`.
    values: Vec<V>,
}

impl<V: PartialEq> FromIterator<(EcoString, V)> for ByText<V> {
    fn from_iter<I: IntoIterator<Item = (EcoString, V)>>(pairs: I) -> Self {
        let mut pairs: Vec<(EcoString, V)> = pairs.into_iter().collect();
        // The values of a text stay in their order.
        pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
        pairs.dedup();
        let (texts, values) = pairs.into_iter().unzip();
        Self { texts, values }
    }
}

impl<V> ByText<V> {
    /// Returns the values of a text, in the order in which they were added.
    pub(super) fn get(&self, text: &str) -> &[V] {
        let start = self.texts.partition_point(|own| own.as_str() < text);
        let own = self.texts.iter().skip(start).take_while(|own| *own == text);
        let end = start + own.count();
        self.values.get(start..end).unwrap_or_default()
    }

    /// Returns true if a text has a value.
    pub(super) fn contains(&self, text: &str) -> bool {
        !self.get(text).is_empty()
    }
}
