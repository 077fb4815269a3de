//! Operators that compute in several steps, with results between them: those steps in their
//! place, so that what lies between is planned like any tensor.
//!
//! ```text
//! Einsum                  of three and more operands: two at a time, from the left, as ONNX
//!                         Runtime does it
//! DynamicQuantizeMatMul   DynamicQuantizeLinear, MatMulIntegerToFloat
//! BiasSplitGelu           Add, Split, Gelu, Mul
//! ```

use std::collections::BTreeMap;

use super::{Flat, Scope};
use crate::graph::{Attribute, DType, Op, Role, Tensor, TensorId};
use crate::operators::Operator;

/// The domain of ONNX Runtime's own operators.
const OWN: &str = "com.microsoft";
/// Stands for as many dimensions as the letters leave over.
const ELLIPSIS: &str = "...";

/// Whether an operator of ONNX is computed in several steps.
pub(in crate::graph::infer) fn is_composite(op: &Op) -> bool {
    match op.operator {
        Operator::Einsum => op.inputs.len() > 2,
        Operator::BiasSplitGelu | Operator::DynamicQuantizeMatMul => true,
        _ => false,
    }
}

/// An operator whose steps are put into the graph.
struct Steps<'f, 'a> {
    flat: &'f mut Flat<'a>,
    op: &'f Op,
    iteration: &'f str,
    count: usize,
}

impl Flat<'_> {
    /// Puts the steps of `op`, whose operands are in the graph, behind the operators so far;
    /// `None` when one that it needs is left out, or its equation has others.
    pub(super) fn compose(&mut self, op: &Op, scope: &Scope) -> Option<()> {
        let mut steps = Steps {
            flat: self,
            op,
            iteration: &scope.iteration,
            count: 0,
        };
        match op.operator {
            Operator::Einsum => steps.einsum(),
            Operator::BiasSplitGelu => steps.bias_split_gelu(),
            _ => steps.quantized_product(),
        }
    }
}

impl Steps<'_, '_> {
    fn input(&self, at: usize) -> Option<TensorId> {
        self.op.inputs.get(at).copied().flatten()
    }

    fn result(&self) -> Option<TensorId> {
        self.op.outputs.first().copied().flatten()
    }

    /// A tensor between two steps.
    fn between(&mut self, what: &str, dtype: DType) -> Option<TensorId> {
        let name = format!("{}.{what}", self.flat.graph.tensor(self.result()?).name);
        let tensor = Tensor {
            role: Role::Intermediate,
            ..Tensor::new(name, dtype)
        };
        Some(self.flat.add(tensor, self.iteration))
    }

    fn step(
        &mut self,
        made: Op,
        inputs: Vec<Option<TensorId>>,
        outputs: &[TensorId],
        attributes: Vec<(String, Attribute)>,
    ) {
        self.count += 1;
        self.flat.push(Op {
            name: format!("{}.{}", self.op.name, self.count),
            inputs,
            outputs: outputs.iter().copied().map(Some).collect(),
            attributes,
            stream: self.op.stream,
            ..made
        });
    }

    fn made(&self, operator: Operator) -> Op {
        Op::of(self.flat.graph.dialect, operator)
    }

    /// Products of two terms at a time. A letter stays as long as a later term or the result has
    /// it.
    fn einsum(&mut self) -> Option<()> {
        let equation = self.op.text("equation")?;
        let equation: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
        let (left, right) = match equation.split_once("->") {
            Some((left, right)) => (left, right.to_owned()),
            None => (&*equation, implied(&equation)),
        };
        let terms: Vec<&str> = left.split(',').collect();
        if terms.len() != self.op.inputs.len() {
            return None;
        }
        // How often a letter is still to come.
        let mut left_over = counted(left);
        for letter in letters(&right) {
            *left_over.entry(letter).or_insert(0) += 1;
        }
        let mut so_far = (terms[0].to_owned(), self.input(0)?);
        take(&mut left_over, terms[0]);
        let dtype = self.flat.graph.tensor(so_far.1).dtype;
        for (index, term) in terms.iter().enumerate().skip(1) {
            take(&mut left_over, term);
            let is_last = index + 1 == terms.len();
            let kept = match is_last {
                true => right.clone(),
                false => kept(&so_far.0, term, &left_over),
            };
            let y = match is_last {
                true => self.result()?,
                false => self.between("product", dtype)?,
            };
            let pair = Attribute::Text(format!("{},{term}->{kept}", so_far.0));
            let inputs = vec![Some(so_far.1), Some(self.input(index)?)];
            self.step(
                self.made(Operator::Einsum),
                inputs,
                &[y],
                vec![("equation".into(), pair)],
            );
            so_far = (kept, y);
        }
        Some(())
    }

    /// The rows of the first matrix become integers first, by one range for all of them.
    fn quantized_product(&mut self) -> Option<()> {
        let (a, y) = (self.input(0)?, self.result()?);
        let elements = self.between("quantized", DType::U8)?;
        let scale = self.between("scale", DType::F32)?;
        let zero = self.between("zero_point", DType::U8)?;
        let found = [elements, scale, zero];
        self.step(
            self.made(Operator::DynamicQuantizeLinear),
            vec![Some(a)],
            &found,
            Vec::new(),
        );
        let optional = |at: usize| self.op.inputs.get(at).copied().flatten();
        let inputs = vec![
            Some(elements),
            Some(self.input(1)?),
            Some(scale),
            Some(self.input(2)?),
            Some(zero),
            optional(3),
            optional(4),
        ];
        let product = self.made(Operator::MatMulIntegerToFloat);
        self.step(product, inputs, &[y], Vec::new());
        Some(())
    }

    /// One half of x + bias times the Gelu of the other.
    fn bias_split_gelu(&mut self) -> Option<()> {
        let (x, bias, y) = (self.input(0)?, self.input(1)?, self.result()?);
        let dtype = self.flat.graph.tensor(x).dtype;
        let sum = self.between("sum", dtype)?;
        let add = self.made(Operator::Add);
        self.step(add, vec![Some(x), Some(bias)], &[sum], Vec::new());
        let halves = [self.between("left", dtype)?, self.between("right", dtype)?];
        let two = [("axis", -1), ("num_outputs", 2)];
        let two = two.map(|(name, value)| (name.to_owned(), Attribute::Int(value)));
        let split = self.made(Operator::Split);
        self.step(split, vec![Some(sum)], &halves, two.into());
        let gelu = self.between("gelu", dtype)?;
        // That of ONNX itself came with operator set 20.
        let function = Op::new(self.flat.graph.dialect, OWN, "Gelu");
        self.step(function, vec![Some(halves[1])], &[gelu], Vec::new());
        let (product, factors) = (self.made(Operator::Mul), [Some(halves[0]), Some(gelu)]);
        self.step(product, factors.into(), &[y], Vec::new());
        Some(())
    }
}

/// The letters of a term, with repeats.
fn letters(term: &str) -> impl Iterator<Item = char> + '_ {
    term.chars().filter(|&c| c != '.' && c != ',')
}

fn counted(terms: &str) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    for letter in letters(terms) {
        *counts.entry(letter).or_insert(0) += 1;
    }
    counts
}

/// Without an arrow the result has what an ellipsis stands for, and the letters that stand there
/// once, in alphabetical order.
fn implied(terms: &str) -> String {
    let once = counted(terms).into_iter().filter(|(_, times)| *times == 1);
    let front = if terms.contains(ELLIPSIS) {
        ELLIPSIS
    } else {
        ""
    };
    front
        .chars()
        .chain(once.map(|(letter, _)| letter))
        .collect()
}

fn take(left_over: &mut BTreeMap<char, usize>, term: &str) {
    for letter in letters(term) {
        if let Some(count) = left_over.get_mut(&letter) {
            *count = count.saturating_sub(1);
        }
    }
}

/// The term of the product of two: what an ellipsis stands for first, then the letters that are
/// still to come, each once.
fn kept(a: &str, b: &str, left_over: &BTreeMap<char, usize>) -> String {
    let broadcast = a.contains(ELLIPSIS) || b.contains(ELLIPSIS);
    let mut kept = if broadcast { ELLIPSIS } else { "" }.to_owned();
    for letter in letters(a).chain(letters(b)) {
        if left_over.get(&letter).is_some_and(|&count| count > 0) && !kept.contains(letter) {
            kept.push(letter);
        }
    }
    kept
}
