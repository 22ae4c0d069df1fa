//! The macro for enums whose variants have names in JSON and settings, such as `set_color`.

/// Defines an enum with a name for each variant.
#[macro_export]
macro_rules! named_enum {
    ($(#[$attribute:meta])* pub enum $enum:ident {
        $($(#[$variant_attribute:meta])* $variant:ident = $name:literal,)+
    }) => {
        $(#[$attribute])*
        pub enum $enum {
            $($(#[$variant_attribute])* $variant,)+
        }

        impl $enum {
            /// All variants, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name in JSON and settings.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}
