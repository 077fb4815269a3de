//! Enums whose variants are the values of an `override` constant of a shader.

/// An enum whose variants have the numbers by which a shader knows them: 0, 1, 2, … in order.
macro_rules! codes {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$about:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$about])* $variant,)*
        }

        impl $name {
            /// The value of the shader's `override` constant.
            #[must_use]
            pub const fn code(self) -> u32 {
                self as u32
            }

            /// The variant that a dispatch has for this constant. There is one: what makes
            /// dispatches writes no other numbers than [`code`](Self::code).
            pub(super) fn read(dispatch: &crate::recording::Dispatch, name: &str) -> Self {
                const ALL: &[$name] = &[$($name::$variant,)*];
                ALL[dispatch.value_of(name) as usize]
            }
        }
    };
}
