//! What is known of each operator: one table, a row each, for both dialects and every domain.
//!
//! An operator is resolved once, when a file is read; what stands in the row is data, and whoever
//! needs more (the shape of a result, a kernel) matches the [`Operator`] exhaustively.

mod facts;
mod table;

use serde::{Deserialize, Serialize};

pub use facts::{Beside, Cost, Effect, Facts, Family, Indexes, Part, Positions, Saves, View};
pub use table::Operator;

/// The operator vocabulary of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    /// ONNX operators ("Conv", NCHW), with the default domain's opset version.
    Onnx {
        /// Version of the `ai.onnx` operator set; 0 when the file names none.
        opset: u32,
    },
    /// TFLite builtins ("CONV_2D", NHWC).
    #[default]
    Tflite,
}

/// Where a name is from: the dialect and the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    /// ONNX, its own domain.
    Onnx,
    /// ONNX, what ONNX Runtime adds: `com.microsoft`.
    Microsoft,
    /// ONNX, classical machine learning: `ai.onnx.ml`.
    Ml,
    /// ONNX, steps of optimizers: `ai.onnx.preview.training`.
    Training,
    /// ONNX, operators that are being tried out: `ai.onnx.preview`.
    Preview,
    /// What passes of this planner write: `arenascope`, in ONNX graphs.
    Arenascope,
    /// TFLite's builtin operators.
    Tflite,
    /// TFLite's custom operators.
    Custom,
}

/// A name of an operator, and where it is from.
pub type Name = (Namespace, &'static str);

/// The domain of what passes of this planner write.
pub(crate) const ARENASCOPE: &str = "arenascope";

/// The domain of TFLite's custom operators.
pub(crate) const CUSTOM: &str = "custom";

/// Where the names of a domain are from: in a graph of ONNX, and in one of TFLite.
const DOMAINS: [(&str, Option<Namespace>, Option<Namespace>); 7] = [
    ("", Some(Namespace::Onnx), Some(Namespace::Tflite)),
    ("com.microsoft", Some(Namespace::Microsoft), None),
    ("ai.onnx.ml", Some(Namespace::Ml), None),
    ("ai.onnx.preview.training", Some(Namespace::Training), None),
    ("ai.onnx.preview", Some(Namespace::Preview), None),
    (
        ARENASCOPE,
        Some(Namespace::Arenascope),
        Some(Namespace::Arenascope),
    ),
    (CUSTOM, None, Some(Namespace::Custom)),
];

impl Namespace {
    /// Where operators of this domain are from; `None` where no row of the table is.
    #[must_use]
    pub fn of(dialect: Dialect, domain: &str) -> Option<Self> {
        let (_, onnx, tflite) = DOMAINS.into_iter().find(|row| row.0 == domain)?;
        match dialect {
            Dialect::Onnx { .. } => onnx,
            Dialect::Tflite => tflite,
        }
    }
}

impl Operator {
    /// The operator of this name; [`Operator::Unknown`] where the table has none.
    #[must_use]
    pub fn of(dialect: Dialect, domain: &str, kind: &str) -> Self {
        let Some(namespace) = Namespace::of(dialect, domain) else {
            return Self::Unknown;
        };
        let mut all = Self::names();
        let found = all.find(|(_, name)| *name == (namespace, kind));
        found.map_or(Self::Unknown, |(row, _)| row)
    }

    /// The first domain and kind that it has in this dialect; `None` where it has none.
    #[must_use]
    pub fn name(self, dialect: Dialect) -> Option<(&'static str, &'static str)> {
        DOMAINS.into_iter().find_map(|(domain, ..)| {
            let namespace = Namespace::of(dialect, domain)?;
            let mut all = Self::names();
            let found = all.find(|(row, name)| *row == self && name.0 == namespace);
            found.map(|(_, (_, kind))| (domain, kind))
        })
    }
}

/// A function of an [`Operator`] by lists of rows: it does not compile before every row stands in
/// one of them.
#[macro_export]
macro_rules! by_operator {
    ($(#[$doc:meta])* $vis:vis fn $name:ident -> $kind:ty { $($value:expr => $($operator:ident)+;)+ }) => {
        $(#[$doc])*
        $vis const fn $name(operator: $crate::operators::Operator) -> $kind {
            match operator {
                $($($crate::operators::Operator::$operator)|+ => $value,)+
            }
        }
    };
}

/// As a number, so that no reader carries the names.
impl From<Operator> for u16 {
    fn from(operator: Operator) -> Self {
        operator as Self
    }
}

impl TryFrom<u16> for Operator {
    type Error = UnknownOperator;

    fn try_from(number: u16) -> Result<Self, UnknownOperator> {
        Self::from_number(number).ok_or(UnknownOperator(number))
    }
}

/// A number that is no operator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownOperator(pub u16);

impl std::fmt::Display for UnknownOperator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It comes from another part of the same build: nobody is told.
        std::fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for UnknownOperator {}
