//! Pareto fronts.

use serde::{Deserialize, Serialize};

/// A front in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontEntry {
    /// Path in the project.
    pub id: String,
    /// Headline.
    pub title: String,
    /// Number of points.
    pub points: usize,
}

/// A front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontDetail {
    /// Path in the project.
    pub id: String,
    /// Headline.
    pub title: String,
    /// What the values of a point are; the first two are plotted.
    pub axes: Vec<FrontAxis>,
    /// The points along the front.
    pub points: Vec<FrontPoint>,
    /// What the dial is called, and at its two ends.
    pub dial: [String; 3],
    /// Whether the dial goes from point to point; otherwise what is between two points can be had as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stepped: bool,
}

/// A number of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontAxis {
    /// Name.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// Whether less is better.
    pub less_is_better: bool,
    /// Whether it is drawn on a logarithmic scale; its values are not logarithms.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_logarithmic: bool,
}

/// A point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontPoint {
    /// One for each axis.
    pub values: Vec<f64>,
    /// Place on the dial, from 0 to 1.
    pub dial: f64,
    /// What is special about it, if anything.
    pub label: Option<String>,
}
