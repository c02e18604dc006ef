//! The programs in the documents, compiled and run by `cargo test`.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/control.md")]
struct Control;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/live.md")]
struct Live;
