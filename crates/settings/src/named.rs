//! Enums whose values are written by name: presets, budgets.

/// An enum whose values have names; [`named!`](crate::named) implements it.
pub trait Named: Copy + Sized + 'static {
    /// All values, in the order of the source.
    const ALL: &'static [Self];
    /// What the enum is called in a sentence, such as `preset`.
    const WHAT: &'static str;

    /// Returns the name of this value.
    fn name(self) -> &'static str;

    /// Finds a value by its name.
    ///
    /// # Errors
    /// Where no value has this name.
    fn find(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.iter().copied().find(|value| value.name() == name);
        found.ok_or_else(|| UnknownName { what: Self::WHAT, name: name.to_owned(), known: listed::<Self>() })
    }
}

/// No value of an enum has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {name:?}; choose {known}")]
pub struct UnknownName {
    /// What the enum is called.
    pub what: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// The names that there are.
    pub known: String,
}

/// The names, as in a sentence: `paper, default or quick`.
fn listed<T: Named>() -> String {
    let names: Vec<&str> = T::ALL.iter().map(|value| value.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Defines an enum as it is written, each value with its name, and implements [`Named`], `Display` and `FromStr` for it.
///
/// The names are those of `serde` with `rename_all = "lowercase"`, where the enum derives it.
#[macro_export]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident, $what:literal {
            $( $(#[$value_attribute:meta])* $value:ident = $text:literal ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        pub enum $name {
            $( $(#[$value_attribute])* $value ),*
        }
        impl $crate::Named for $name {
            const ALL: &'static [$name] = &[ $( $name::$value ),* ];
            const WHAT: &'static str = $what;
            fn name(self) -> &'static str {
                match self { $( $name::$value => $text ),* }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::Named::name(*self))
            }
        }
        impl std::str::FromStr for $name {
            type Err = $crate::UnknownName;
            fn from_str(name: &str) -> Result<$name, $crate::UnknownName> {
                $crate::Named::find(name)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::Named;

    crate::named! {
    /// Where to go.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Direction, "direction" {
        /// Up.
        Up = "up",
        /// Down.
        Down = "down",
        /// Nowhere.
        Stay = "stay",
    }
    }

    #[test]
    fn values_are_found_by_the_names_that_they_show() {
        for value in Direction::ALL {
            assert_eq!(value.to_string().parse(), Ok(*value));
        }
        let sentence = "left".parse::<Direction>().expect_err("no such value").to_string();
        assert_eq!(sentence, "there is no direction \"left\"; choose up, down or stay");
    }
}
