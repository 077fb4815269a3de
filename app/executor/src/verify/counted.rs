//! Counts of operators such as `NonZero`, found before a run: the plan is run without reuse as far
//! as the operator, what it reads is read back, and the CPU computes what it gives. Then all that
//! follows has its real size, at the addresses that were planned for the most.

use std::collections::BTreeMap;

use planner::counts::{self, Known};
use planner::graph::{Counts, Elements, Limit, Op, Role, TensorId, Value};
use planner::{Program, message};

use super::report::Count;
use super::reporter::Reporter;
use super::{Failure, Machine, Question, inputs, naive, options, values};
use crate::counting::{self, Found, Read};
use crate::elements;
use crate::engine::RunError;
use crate::lower::{self, Refused};
use crate::recording::Operand;
use crate::supply::{self, Supply};
use planner::operators::Operator;

/// A program with what was counted.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Its tensors have the sizes of the run.
    pub program: Program,
    /// What is known before the run, the counted results among it.
    pub values: Known,
    /// What was counted.
    pub counts: Vec<Count>,
}

impl Counted {
    /// The question about what was counted.
    pub(super) fn question<'a>(&'a self, question: &Question<'a>) -> Question<'a> {
        Question {
            program: &self.program,
            values: &self.values,
            ..question.clone()
        }
    }
}

/// Counts what the steps that are run have to count; `None` where that is nothing.
///
/// # Errors
/// [`Failure`], where the run so far is refused or fails, and where more is counted than was
/// planned.
pub(super) async fn counted(
    machine: &Machine,
    question: &Question<'_>,
    reporter: &mut Reporter<'_>,
) -> Result<Option<Counted>, Failure> {
    let to_find = counts::to_find(question.program, question.until);
    if to_find.is_empty() {
        return Ok(None);
    }
    let mut now = Counted {
        program: question.program.clone(),
        values: question.values.clone(),
        counts: Vec::new(),
    };
    let (mut found, mut made) = (Counts::new(), Known::new());
    for (_, op, count) in to_find {
        let read = read(machine, &now.question(question), op, reporter).await?;
        let given = counting::count(op, &read).map_err(|why| Refused::Uncounted {
            op: op.name.clone(),
            why,
        })?;
        let (tensor, kind) = (count.tensor.clone(), op.kind.clone());
        if given.count > count.most {
            return Err(Failure::Refused(Refused::Exceeded {
                kind,
                tensor,
                found: given.count,
                most: count.most,
                by_file: count.limit == Limit::File,
            }));
        }
        found.insert(tensor.clone(), given.count);
        now.counts.push(Count {
            tensor,
            kind,
            most: count.most,
            found: given.meant.unwrap_or(given.count),
        });
        made.extend(known(op, given, read));
        let program = counts::found(question.program, question.bindings, &found);
        (now.program, now.values) = program.map_err(Refused::Misfit)?;
        now.values.extend(made.clone());
    }
    Ok(Some(now))
}

/// What is known once the operator is counted: its outputs, or what it was told by.
fn known(op: &Op, given: Found, read: Vec<Option<Read>>) -> BTreeMap<TensorId, Value> {
    if given.outputs.is_empty() {
        let told = op.inputs.get(1).copied().flatten();
        let value = read.into_iter().nth(1).flatten();
        return told.zip(value.map(|read| read.1)).into_iter().collect();
    }
    let outputs = op.outputs.iter().zip(given.outputs);
    outputs
        .filter_map(|(id, value)| Some(((*id)?, value)))
        .collect()
}

/// The inputs of `op` as they are when it runs.
async fn read(
    machine: &Machine,
    question: &Question<'_>,
    op: &Op,
    reporter: &mut Reporter<'_>,
) -> Result<Vec<Option<Read>>, Failure> {
    let graph = &question.program.graph;
    let fed = inputs::words(graph, &question.inputs);
    let mut at_hand: BTreeMap<TensorId, Value> = BTreeMap::new();
    let mut wanted: Vec<TensorId> = Vec::new();
    let asked = match op.operator {
        // The elements themselves are not looked at.
        Operator::TopK | Operator::Compress => 1..2,
        _ => 0..op.inputs.len(),
    };
    let needed = op.inputs.iter().take(asked.end).skip(asked.start);
    for id in needed.copied().flatten() {
        let position = graph.inputs.iter().position(|&input| input == id);
        if let Some(value) = question.values.get(&id) {
            at_hand.insert(id, value.clone());
        } else if let Some(words) = position.and_then(|at| fed.get(at)) {
            let operand = lower::unplaced_operand(graph, id);
            at_hand.extend(operand.map(|x| (id, value(&x, words))));
        } else if graph.tensor(id).role == Role::Constant {
            let options = options(machine, question);
            let (upload, lowered) = lower::constant_alone(graph, question.values, id, &options)?;
            let folded = supply::folded(&lowered, question.file)?;
            let supply = Supply {
                file: question.file,
                folded: &folded,
                ..Supply::default()
            };
            let mut words = Vec::new();
            supply.pieces(&upload, &mut |_, piece| words.extend_from_slice(piece))?;
            at_hand.insert(id, value(&upload.operand, &words));
        } else {
            wanted.push(id);
        }
    }
    for found in run_to(machine, question, &wanted, reporter).await? {
        at_hand.insert(found.operand.tensor, value(&found.operand, &found.words));
    }
    let mut read = Vec::with_capacity(op.inputs.len());
    for (at, id) in op.inputs.iter().enumerate() {
        read.push(match id {
            Some(id) if asked.contains(&at) => {
                let tensor = graph.tensor(*id);
                let found = at_hand.get(id).ok_or_else(|| Refused::Uncounted {
                    op: op.name.clone(),
                    why: message!("the elements of {} are not at hand", tensor.name),
                })?;
                Some((tensor.dtype, found.clone()))
            }
            _ => None,
        });
    }
    Ok(read)
}

/// These tensors as a run without reuse makes them; where a machine has no room for that, as the
/// plan does.
async fn run_to(
    machine: &Machine,
    question: &Question<'_>,
    wanted: &[TensorId],
    reporter: &mut Reporter<'_>,
) -> Result<Vec<values::Values>, Failure> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(plan) = naive::plan(question.lifetimes) {
        let apart = Question {
            plan: &plan,
            corrupted: false,
            ..question.clone()
        };
        match values::read(machine, &apart, wanted, reporter).await {
            Err(
                Failure::Refused(Refused::TooLarge { .. }) | Failure::Run(RunError::OutOfMemory(_)),
            ) => {}
            found => return found,
        }
    }
    values::read(machine, question, wanted, reporter).await
}

/// The elements of a tensor.
fn value(x: &Operand, words: &[u32]) -> Value {
    Value {
        dims: x.dims.iter().copied().map(u64::from).collect(),
        elements: match elements::is_float(x.dtype) {
            true => Elements::Floats(elements::numbers(x.dtype, words, x.len() as usize)),
            false => Elements::Ints(elements::ints(x, words)),
        },
    }
}
