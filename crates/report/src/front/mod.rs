//! A front of trade-offs: its interactive page, its figures and its tables.
//!
//! Points with their numbers and, where there are any, their motions enter: jumps between height and effort, or
//! performances between fidelity and help from outside. One HTML file leaves, in which a click plays a motion
//! ([`FrontPage`]), plots of fronts with their samples ([`FrontPlot`](crate::plots::FrontPlot)), a picture of several
//! motions by the poses at which their phases begin ([`phase_strip`]), and tables as text, CSV or HTML ([`FrontTable`]).
//! Start reading at `data.rs`.
//!
//! ```
//! use sinew_report::front::{Front, FrontPage, FrontTable, Jump};
//!
//! let jump = |height_m: f64| Jump { label: format!("{height_m} m"), height_m, cost: height_m, ..Jump::default() };
//! let front = Front::new("RMOO", [1.8, 2.1, 2.4].map(|height_m| jump(height_m).into()).to_vec());
//! assert!(FrontTable::new(&Jump::view(), &front).to_csv().contains("2.1 m,natural,2.1,"));
//! let page = FrontPage { title: "Jumps".into(), view: Jump::view(), fronts: vec![front], ..FrontPage::default() };
//! assert!(page.to_html()?.contains("<title>Jumps</title>"));
//! # Ok::<(), sinew_report::ReportError>(())
//! ```

mod data;
mod json;
mod jump;
mod motion;
mod pack;
mod page;
mod phase_strip;
mod table;

pub use data::{Front, FrontPoint, FrontView, Quantity, Scale};
pub use jump::Jump;
pub use motion::{Motion, MotionFrame, MotionPhase};
pub use page::FrontPage;
pub use phase_strip::phase_strip;
pub use table::FrontTable;

#[cfg(test)]
mod tests;
