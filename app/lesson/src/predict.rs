//! What is asked, and what is said to each wrong answer. What is right is nowhere here: it is
//! measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::measure::{Measure, Relation};
use crate::text::Text;

/// What is asked before the scene goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predict {
    /// One of several sentences: the one whose claim holds.
    Choose(Vec<Choice>),
    /// A number.
    Number(Number),
    /// Something in the picture.
    Point(Point),
    /// A place for rectangles, by hand.
    Place(PlacementTask),
    /// An order of things.
    List(List),
    /// An order of operators.
    Operators(Operators),
    /// A place for rectangles at which only one output changes.
    #[serde(rename = "spoil")]
    Corrupt(Corrupt),
    /// Activations to give up, so that a training step fits.
    GiveUp(GiveUp),
}

/// A sentence to choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Its name within the scene.
    pub id: String,
    /// The sentence.
    pub text: Text,
    /// What has to hold for it to be right.
    pub claim: Vec<(Measure, Relation, Measure)>,
    /// What is said to who chooses it wrongly; the right one has none.
    #[serde(default)]
    pub feedback: Option<Feedback>,
}

/// A number that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// What it is.
    pub is: Measure,
    /// How far an answer may be from it.
    #[serde(default)]
    pub tolerance: f64,
    /// Its unit: `B`, `%`, `×`, or nothing.
    #[serde(default)]
    pub unit: String,
    /// Numbers that come of a known mistake.
    #[serde(default)]
    pub traps: Vec<Trap>,
    /// What is said to any other.
    pub otherwise: Feedback,
}

/// A number that comes of a known mistake.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trap {
    /// What that mistake comes to.
    pub is: Measure,
    /// What is said.
    pub feedback: Feedback,
}

/// Something in the picture that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// What is pointed at.
    pub at: PointedAt,
    /// Their names.
    pub right: Measure,
    /// How many of them.
    #[serde(default)]
    pub need: Need,
    /// What is said to a wrong one, by its name.
    #[serde(default)]
    pub wrong: BTreeMap<String, Feedback>,
    /// What is said to any other.
    pub otherwise: Feedback,
}

/// What is pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointedAt {
    /// A buffer.
    Rectangle,
    /// A step, by its number.
    Step,
    /// The operator of a step, by its name.
    Operator,
}

/// How many of the right ones are to be pointed at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// All.
    #[default]
    All,
    /// One of them.
    Any,
}

/// Rectangles that are to be put elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementTask {
    /// The plan that is changed by hand: a strategy, or `deployed`.
    pub plan: String,
    /// The arena that is to be reached, in bytes.
    pub goal: Measure,
    /// Arenas that deserve one star and two; three are for the proved optimum. Only puzzles.
    #[serde(default)]
    pub stars: Vec<Measure>,
    /// Whether “it cannot be done” is offered: right where the search has proved that.
    #[serde(default)]
    pub may_be_impossible: bool,
    /// What is said where bytes are needed twice.
    pub overlap: Feedback,
    /// What is said where the plan is valid and too large.
    pub above: Feedback,
    /// What is said to who calls it impossible and is wrong, or has not tried.
    #[serde(default)]
    pub impossible: Option<Feedback>,
}

/// Things to be put in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// What is put in order, by name, in the order in which it is shown.
    pub items: Vec<(String, Text)>,
    /// The names in the right order.
    pub right: Measure,
    /// What is said to who puts this one too early, by name.
    #[serde(default)]
    pub early: BTreeMap<String, Feedback>,
    /// What is said to any other.
    pub otherwise: Feedback,
}

/// Operators of the graph to be put in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operators {
    /// The peak that is to be reached, in bytes.
    pub goal: Measure,
    /// Peaks that deserve one star and two; three are for the goal. Only puzzles.
    #[serde(default)]
    pub stars: Vec<Measure>,
    /// What is said where an operator reads what is not there yet.
    pub early: Feedback,
    /// What is said where the peak is above the goal.
    pub above: Feedback,
}

/// A plan that is to be corrupted by hand so that one output of the graph changes, and no other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corrupt {
    /// The plan that is changed by hand: a strategy.
    pub plan: String,
    /// What is said where no output changes.
    pub none: Feedback,
    /// What is said where several do.
    pub several: Feedback,
}

/// Activations that are given up and computed again, so that a training step fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GiveUp {
    /// What the values may take at once, in bytes.
    pub budget: Measure,
    /// The fewest recomputations of any schedule, proved: no set of activations has fewer.
    pub fewest: Measure,
    /// A larger budget that deserves one star.
    pub star: Measure,
    /// What is said where the peak is above the budget.
    pub above: Feedback,
    /// What is said where it fits with more recomputations than are needed.
    pub more: Feedback,
}

/// What is said to an answer, and what is shown of it in the picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Why.
    pub says: Text,
    /// The buffer that shows it.
    #[serde(default)]
    pub select: Option<String>,
    /// The step that shows it.
    #[serde(default)]
    pub step: Option<u64>,
}
