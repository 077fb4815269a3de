//! A scene: a problem in the picture, a question, what is hidden until it is answered.

use serde::{Deserialize, Serialize};

use crate::measure::Measure;
use crate::predict::Predict;
use crate::text::Text;

/// One question before one picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// `4.2`: the lesson's number and its own.
    pub id: String,
    /// The problem of the lesson that is open.
    pub problem: String,
    /// How it is planned and looked at, as a link says it.
    pub at: String,
    /// The same once it is answered; empty for no other.
    #[serde(default)]
    pub then: String,
    /// What is hidden until it is answered.
    #[serde(default)]
    pub hidden: Vec<Hidden>,
    /// What of that stays hidden afterwards, because a later scene asks for it.
    #[serde(default)]
    pub keeps: Vec<Hidden>,
    /// What is seen.
    pub text: Text,
    /// The question.
    pub ask: Text,
    /// How it is answered.
    pub predict: Predict,
    /// Why the answer is right.
    pub why: Text,
    /// What helps.
    #[serde(default)]
    pub hint: Option<Text>,
    /// For who speaks.
    #[serde(default)]
    pub notes: Option<Text>,
    /// Names of terms in the glossary.
    #[serde(default)]
    pub terms: Vec<String>,
    /// The figures of its texts.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Numbers of its texts that are no figures of a plan, as they are written.
    #[serde(default)]
    pub given: Vec<String>,
}

/// A number that a text says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// As it is written, such as `5.4` or `52,011,392`.
    pub says: String,
    /// What it is. The number is this, rounded to the digits that are written.
    pub is: Measure,
}

/// Something that would answer the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hidden {
    /// How large arenas are.
    Arena,
    /// The lower bound.
    Bound,
    /// The curve of live bytes.
    Profile,
    /// What is proved of a plan.
    Badge,
    /// Tables of plans and tensors.
    Table,
    /// How an arena is split.
    Waste,
    /// What a film says of its step.
    Caption,
    /// What a run or a pass found.
    Findings,
    /// The picture itself.
    Picture,
}

impl Hidden {
    /// All, with their names in lesson files.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Arena, "arena"),
        (Self::Bound, "bound"),
        (Self::Profile, "profile"),
        (Self::Badge, "badge"),
        (Self::Table, "table"),
        (Self::Waste, "waste"),
        (Self::Caption, "caption"),
        (Self::Findings, "findings"),
        (Self::Picture, "picture"),
    ];

    /// Its name in lesson files.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(hidden, _)| *hidden == self);
        found.map_or("", |(_, name)| name)
    }
}
