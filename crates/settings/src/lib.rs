//! Settings that know their own documentation, and presets that have names.
//!
//! [`documented!`] wraps a struct and leaves it as it is; the doc comments of its fields can then be read by a program, so that a file of settings
//! explains itself. [`named!`] does the same for an enum whose values are written by name. Start reading at [`Documented`].

mod named;

pub use named::{Named, UnknownName};

/// One field of a struct of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The lines of its doc comment, as they stand in the source.
    pub doc: &'static [&'static str],
}

/// A struct whose fields can be read with their doc comments; [`documented!`] implements it.
pub trait Documented {
    /// The fields, in the order of the source.
    const FIELDS: &'static [Field];
}

/// Defines a struct as it is written, and implements [`Documented`] for it.
///
/// Fields are public; of attributes they may have doc comments and, after these, `serde`.
#[macro_export]
macro_rules! documented {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])* $(#[serde $serde:tt])* pub $field:ident: $type:ty ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        pub struct $name {
            $( $(#[doc = $doc])* $(#[serde $serde])* pub $field: $type ),*
        }
        impl $crate::Documented for $name {
            const FIELDS: &'static [$crate::Field] =
                &[ $( $crate::Field { name: stringify!($field), doc: &[$($doc),*] } ),* ];
        }
    };
}

#[cfg(test)]
mod tests {
    use super::{Documented, Field};

    crate::documented! {
    /// A struct.
    #[derive(Debug, Default, PartialEq)]
    pub struct Example {
        /// Step size, rad.
        pub sigma: f64,
        /// How often;
        /// 0 for never.
        pub tries: Option<usize>,
    }
    }

    #[test]
    fn fields_come_with_their_doc_comments_in_order() {
        let fields = [
            Field { name: "sigma", doc: &[" Step size, rad."] },
            Field { name: "tries", doc: &[" How often;", " 0 for never."] },
        ];
        assert_eq!(Example::FIELDS, fields);
        assert_eq!(Example::default(), Example { sigma: 0.0, tries: None });
    }
}
