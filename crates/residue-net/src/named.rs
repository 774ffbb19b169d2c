//! Enums whose variants have names.

/// Declares an enum with a name for each variant, in one list: `ALL`, `name`, `Display`, and
/// `FromStr`, whose error lists the names.
#[macro_export]
#[doc(hidden)]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Enum:ident {
            $($(#[$documentation:meta])* $Variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $Enum {
            $($(#[$documentation])* $Variant,)+
        }

        impl $Enum {
            /// All of them, in the order of their declaration.
            pub const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Variant),+];

            /// Returns the name in reports and arguments.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($Enum::$Variant => $name,)+
                }
            }
        }

        impl ::std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $Enum {
            type Err = String;

            fn from_str(name: &str) -> Result<$Enum, String> {
                $Enum::ALL.into_iter().find(|each| each.name() == name).ok_or_else(|| {
                    let names = $Enum::ALL.map($Enum::name).join(", ");
                    format!("expected one of {names}, got \"{}\"", name.escape_debug())
                })
            }
        }
    };
}
