//! Enums whose variants have names for programs.

/// Defines an enum with a name for each variant.
macro_rules! named_enum {
    ($(#[$attribute:meta])* pub enum $enum:ident {
        $($(#[$variant_attribute:meta])* $variant:ident = $name:literal,)+
    }) => {
        $(#[$attribute])*
        pub enum $enum {
            $($(#[$variant_attribute])* $variant,)+
        }

        impl $enum {
            /// Every variant, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name for programs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}
