//! Declared shapes, symbolic dimensions and the values bound to them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Index of a symbol in [`Graph::symbols`](super::Graph::symbols).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SymbolId(pub u32);

/// A symbolic dimension that the user binds: "batch", "sequence_length".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Name in the file, or one made from the tensor and the axis ("input_ids.0").
    pub name: String,
    /// Value used unless bound otherwise: 1, or what the file suggests.
    pub default: u64,
    /// Whether it bounds a count that only a run finds, see [`Count`](super::Count), by the name
    /// of the operator's first output, or [`ALL_COUNTS`](Self::ALL_COUNTS): 0 stands for what
    /// shapes allow.
    #[serde(default)]
    pub at_most: bool,
}

impl Symbol {
    /// The name of the symbol that bounds every count that has none of its own.
    pub const ALL_COUNTS: &'static str = "at_most";
}

/// A declared shape, outermost dimension first.
pub type Shape = Vec<Dim>;

/// One declared dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dim {
    /// A number.
    Fixed(u64),
    /// A symbol of the graph.
    Symbol(SymbolId),
    /// A symbol of the graph, but at most so many.
    AtMost(SymbolId, u64),
    /// The file says nothing.
    Unknown,
}

/// Values for symbols, by name. Symbols not named here take their default.
pub type Bindings = BTreeMap<String, u64>;
