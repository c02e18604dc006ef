//! What a front is: quantities, points with a value of each, samples that were tried on the way.

use super::motion::Motion;
use crate::error::ReportError;

/// How an axis counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equally long.
    #[default]
    Linear,
    /// Equal factors are equally long; values at or below zero are left out of plots.
    Logarithmic,
}

/// Something that every point of a front has a number for: an objective, or a column of its table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quantity {
    /// Name, such as `height`.
    pub name: String,
    /// Unit, such as `m`; empty for none.
    pub unit: String,
    /// Digits after the point.
    pub decimals: usize,
    /// How an axis of it counts.
    pub scale: Scale,
}

impl Quantity {
    /// A quantity on a linear axis.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, decimals: usize) -> Self {
        Self { name: name.into(), unit: unit.into(), decimals, scale: Scale::Linear }
    }

    /// The same quantity on a logarithmic axis.
    pub fn logarithmic(self) -> Self {
        Self { scale: Scale::Logarithmic, ..self }
    }

    /// Name and unit, such as `height, m`.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{}, {}", self.name, self.unit) }
    }

    /// A value without its unit; a dash where it is not finite.
    pub fn format(&self, value: f64) -> String {
        if !value.is_finite() {
            return "–".to_owned();
        }
        let text = format!("{value:.*}", self.decimals.min(12));
        // A rounded zero has no sign.
        if text.trim_start_matches('-').bytes().all(|b| matches!(b, b'0' | b'.')) {
            return text.trim_start_matches('-').to_owned();
        }
        text
    }
}

/// One solution on a front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontPoint {
    /// Name, such as `sample 3`.
    pub label: String,
    /// A number for each [`Quantity`], in their order. A number that is not finite is shown as a dash.
    pub values: Vec<f64>,
    /// Whether it needs help from outside. Decides the colour: brown without, blue with.
    pub is_assisted: bool,
    /// What it looks like, to be played.
    pub motion: Option<Motion>,
}

/// Solutions none of which is worse than another in everything, and what else was tried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Front {
    /// Name, such as `RMOO`.
    pub name: String,
    /// The solutions, in any order; they are shown from left to right.
    pub points: Vec<FrontPoint>,
    /// Abscissa and ordinate of everything that was evaluated; what would hide one another is drawn once.
    pub samples: Vec<[f64; 2]>,
    /// Whether neighbours are joined by a line. False for fronts of three objectives, which are surfaces.
    pub is_joined: bool,
}

impl Front {
    /// A front joined by a line, without samples.
    pub fn new(name: impl Into<String>, points: Vec<FrontPoint>) -> Self {
        Self { name: name.into(), points, samples: Vec::new(), is_joined: true }
    }

    /// The same front with everything that was evaluated.
    pub fn with_samples(self, samples: Vec<[f64; 2]>) -> Self {
        Self { samples, ..self }
    }

    /// The same points without samples and motions, for figures that need neither.
    pub fn outline(&self) -> Self {
        let still = |point: &FrontPoint| FrontPoint {
            label: point.label.clone(),
            values: point.values.clone(),
            is_assisted: point.is_assisted,
            motion: None,
        };
        Self {
            name: self.name.clone(),
            points: self.points.iter().map(still).collect(),
            samples: Vec::new(),
            is_joined: self.is_joined,
        }
    }
}

/// What is drawn of a front's numbers, and in which words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontView {
    /// What the points' values are, in order; also the columns of the table.
    pub quantities: Vec<Quantity>,
    /// Which quantity goes to the right.
    pub x: usize,
    /// Which quantity goes up.
    pub y: usize,
    /// Which quantity is shown as colour, instead of natural and supernatural.
    pub color: Option<usize>,
    /// Words for points without and with help, such as `natural` and `supernatural`.
    pub kinds: [String; 2],
}

impl FrontView {
    /// Place of a point in the plot.
    pub fn place(&self, point: &FrontPoint) -> [f64; 2] {
        [self.x, self.y].map(|index| point.values.get(index).copied().unwrap_or(f64::NAN))
    }

    /// Points from left to right; those without a place come last.
    pub(crate) fn ordered<'a>(&self, front: &'a Front) -> Vec<&'a FrontPoint> {
        let mut points: Vec<&FrontPoint> = front.points.iter().collect();
        let key = |point: &FrontPoint| {
            let [x, _] = self.place(point);
            if x.is_finite() { x } else { f64::INFINITY }
        };
        points.sort_by(|a, b| key(a).total_cmp(&key(b)));
        points
    }

    /// Whether all indices and all numbers of values fit together.
    pub(crate) fn check(&self, fronts: &[Front]) -> Result<(), ReportError> {
        let count = self.quantities.len();
        for (role, index) in [("x", Some(self.x)), ("y", Some(self.y)), ("color", self.color)] {
            if let Some(index) = index.filter(|index| *index >= count) {
                return Err(ReportError::QuantityIndex { role, index, count });
            }
        }
        for front in fronts {
            if let Some(point) = front.points.iter().find(|point| point.values.len() != count) {
                return Err(ReportError::ValueCount {
                    front: front.name.clone(),
                    point: point.label.clone(),
                    found: point.values.len(),
                    wanted: count,
                });
            }
        }
        Ok(())
    }
}
