//! How tables of strings are written.

/// Makes an enumeration of strings of rows `Name: English, Chinese;`. With a field of
/// [`Chinese`](super::chinese::Chinese) beside its name, the Chinese strings are there, which is
/// a part of the page; without, they are wherever the English ones are.
macro_rules! words {
    (
        $(#[doc = $doc:literal])+ $words:ident, $field:ident;
        $($name:ident: $en:literal, $zh:literal;)*
    ) => {
        $crate::strings::words! { @variants $(#[doc = $doc])+ $words; $($name: $en;)* }

        impl $words {
            /// The strings in Chinese, in the order of the variants.
            pub(in $crate::strings) const CHINESE: &'static [&'static str] = &[$($zh),*];

            /// The string in `language`; in English until the Chinese ones are there.
            pub(crate) fn in_language(self, language: $crate::strings::Language) -> &'static str {
                let chinese = match language {
                    $crate::strings::Language::En => None,
                    $crate::strings::Language::Zh => $crate::strings::chinese(),
                };
                chinese
                    .and_then(|chinese| chinese.$field.get(self as usize).copied())
                    .unwrap_or_else(|| self.in_english())
            }
        }
    };
    (
        $(#[doc = $doc:literal])+ $words:ident;
        $($name:ident: $en:literal, $zh:literal;)*
    ) => {
        $crate::strings::words! { @variants $(#[doc = $doc])+ $words; $($name: $en;)* }

        impl $words {
            /// The string in `language`.
            pub(crate) fn in_language(self, language: $crate::strings::Language) -> &'static str {
                match language {
                    $crate::strings::Language::En => self.in_english(),
                    $crate::strings::Language::Zh => match self { $(Self::$name => $zh),* },
                }
            }
        }
    };
    (@variants $(#[doc = $doc:literal])+ $words:ident; $($name:ident: $en:literal;)*) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $words { $($name),* }

        impl $words {
            fn in_english(self) -> &'static str {
                match self { $(Self::$name => $en),* }
            }
        }

        impl $crate::strings::Spoken for $words {
            fn spoken(self, language: $crate::strings::Language) -> &'static str {
                self.in_language(language)
            }
        }
    };
}
pub(crate) use words;
