//! Operators and their attributes.

use serde::{Deserialize, Serialize};

use super::{Dialect, Graph, TensorId};
use crate::Message;
use crate::operators::{Facts, Operator};
use crate::units::narrow;

/// Index of an operator in [`Graph::ops`](super::Graph::ops).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct OpId(pub u32);

/// One operator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Op {
    /// Name in the file, or one made from the kind and the position.
    pub name: String,
    /// What it is: the row of the table that its dialect, its domain and its kind lead to.
    pub operator: Operator,
    /// Operator type in the graph's [`Dialect`](super::Dialect): "Conv", "`CONV_2D`".
    pub kind: String,
    /// Operator set domain; empty for the dialect's own.
    pub domain: String,
    /// Inputs by position; `None` for an optional one that is left out.
    pub inputs: Vec<Option<TensorId>>,
    /// Outputs by position; `None` for one that is not wanted.
    pub outputs: Vec<Option<TensorId>>,
    /// Outer tensors that this operator's subgraphs read (If, Loop, Scan, WHILE).
    pub captures: Vec<TensorId>,
    /// Attributes in file order, with unique names.
    pub attributes: Vec<(String, Attribute)>,
    /// The stream that the model assigns it to; operators of one stream run one after
    /// the other. `None` when the model does not say.
    pub stream: Option<u32>,
    /// The operators that it stands for, if several were fused: its kind is then the name of the
    /// pattern. The graph's inputs and outputs are those of this operator, in the same order;
    /// what is between them needs no memory of its own, and what was constant still is.
    #[serde(default)]
    pub fused: Option<Box<Graph>>,
    /// What its subgraphs hold, as long as nothing stands in their place.
    #[serde(default)]
    pub inside: Inside,
}

/// What the subgraphs of an operator hold (If, Loop, Scan, WHILE).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Inside {
    /// There are none, or they were not read.
    #[default]
    Nothing,
    /// Operators, which come into the graph when its tensors are sized.
    Bodies(Vec<Body>),
    /// They stay out of the plan, for this reason.
    Kept(Message),
}

/// A subgraph. Each of its tensors is fed to it, a constant of the file, written by one of its
/// operators, or stands for a tensor of the graph around it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// The attribute that it is the value of.
    pub name: String,
    /// Which subgraph of the file it is.
    pub number: u32,
    /// Its operators and tensors. Symbols are those of the whole model.
    pub graph: Graph,
    /// Its tensors that stand for others, each with the one of the graph around it.
    pub outer: Vec<(TensorId, TensorId)>,
}

/// The value of an operator's attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Attribute {
    /// One integer (also booleans and enumerations).
    Int(i64),
    /// A list of integers.
    Ints(Vec<i64>),
    /// One number.
    Float(f32),
    /// A list of numbers.
    Floats(Vec<f32>),
    /// Text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// A constant tensor, kept in [`Graph::tensors`](super::Graph::tensors).
    Tensor(TensorId),
    /// A subgraph: how many operators it holds, those of inner ones included.
    Subgraph {
        /// Number of operators inside.
        ops: u32,
    },
}

impl OpId {
    /// The id of the operator at `index`. Loaders refuse graphs of 2^32 operators.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self(narrow(index))
    }

    /// The index into [`Graph::ops`](super::Graph::ops).
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Op {
    /// An operator of this kind, which reads and writes nothing yet.
    #[must_use]
    pub fn new(dialect: Dialect, domain: &str, kind: &str) -> Self {
        let mut op = Self::default();
        op.rename(dialect, domain, kind);
        op
    }

    /// Makes it an operator of this kind.
    pub fn rename(&mut self, dialect: Dialect, domain: &str, kind: &str) {
        self.operator = Operator::of(dialect, domain, kind);
        kind.clone_into(&mut self.kind);
        domain.clone_into(&mut self.domain);
    }

    /// This operator as its dialect calls it, which reads and writes nothing yet.
    ///
    /// # Panics
    /// Where the dialect does not have it.
    #[must_use]
    pub fn of(dialect: Dialect, operator: Operator) -> Self {
        let mut op = Self::default();
        op.become_operator(dialect, operator);
        op
    }

    /// Makes it this operator, as its dialect calls it.
    ///
    /// # Panics
    /// As [`of`](Self::of).
    pub fn become_operator(&mut self, dialect: Dialect, operator: Operator) {
        let name = operator.name(dialect);
        let (domain, kind) = name.expect("what is put into a graph is of its dialect");
        self.rename(dialect, domain, kind);
    }

    /// What is known of it.
    #[must_use]
    pub fn facts(&self) -> &'static Facts {
        self.operator.facts()
    }

    /// Whether it is this one, in whatever dialect.
    #[must_use]
    pub fn is(&self, operator: Operator) -> bool {
        self.operator == operator
    }

    /// Every tensor it reads, those of its subgraphs included, with repeats.
    pub fn read(&self) -> impl Iterator<Item = TensorId> + '_ {
        let inputs = self.inputs.iter().copied().flatten();
        inputs.chain(self.captures.iter().copied())
    }

    /// Every tensor it writes.
    pub fn written(&self) -> impl Iterator<Item = TensorId> + '_ {
        self.outputs.iter().copied().flatten()
    }

    /// The attribute called `name`.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    }

    /// The integer attribute called `name`.
    #[must_use]
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attribute::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer list attribute called `name`.
    #[must_use]
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.attribute(name)? {
            Attribute::Ints(values) => Some(values),
            _ => None,
        }
    }

    /// The text attribute called `name`.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            Attribute::Text(value) => Some(value),
            _ => None,
        }
    }
}
