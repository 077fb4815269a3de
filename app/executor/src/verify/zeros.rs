//! How many of the elements that a model's ReLUs write are zero, as a run finds them.

use std::collections::BTreeMap;

use planner::graph::TensorId;
use planner::operators::Operator;
use serde::{Deserialize, Serialize};

use super::report::{Phase, Progress};
use super::reporter::Reporter;
use super::{Failure, Machine, Question, values};
use crate::elements;
use crate::recording::Operand;

/// The zeros of each ReLU that writes floats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zeros {
    /// So many of a thousand elements, by the name of the operator, in order.
    pub shares: Vec<(String, u16)>,
    /// Whether weights of the run are not in the file, so that seeded ones stood in for them.
    pub stand_ins: bool,
}

impl Zeros {
    /// The least, the mean and the most of all shares, of a thousand; the mean counts every ReLU
    /// once. `None` where there is no ReLU.
    #[must_use]
    pub fn spread(&self) -> Option<[u16; 3]> {
        let all = || self.shares.iter().map(|it| it.1);
        let (least, most) = (all().min()?, all().max()?);
        let count = self.shares.len() as u64;
        let mean = (all().map(u64::from).sum::<u64>() + count / 2) / count;
        Some([least, u16::try_from(mean).unwrap_or(most), most])
    }
}

/// Runs the plan as far as the last ReLU and counts what each writes. Those that nothing runs, and
/// those without an element, are left out.
///
/// # Errors
/// [`Failure`], when the run as far as there is refused or fails.
pub async fn zeros(
    machine: &Machine,
    question: &Question<'_>,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Zeros, Failure> {
    let ops = question.program.graph.ops.iter();
    let relus = ops.filter(|op| op.operator == Operator::Relu);
    let named = relus.filter_map(|op| Some((op.written().next()?, op.name.as_str())));
    let named: BTreeMap<TensorId, &str> = named.collect();
    let wanted: Vec<TensorId> = named.keys().copied().collect();
    let mut shares = BTreeMap::new();
    let mut take = |operand: &Operand, words: Vec<u32>| {
        let name = named.get(&operand.tensor);
        if let Some(name) = name.filter(|_| elements::is_float(operand.dtype))
            && let Some(share) = share(&elements::floats(operand, &words))
        {
            shares.insert((*name).to_owned(), share);
        }
    };
    let mut reporter = Reporter::new(on_progress, question.clock, question.pause);
    reporter.begin(Phase::Load, 1).await;
    let stand_ins = values::counted_each(machine, question, &wanted, &mut reporter, &mut take);
    let stand_ins = stand_ins.await? > 0;
    let shares = shares.into_iter().collect();
    Ok(Zeros { shares, stand_ins })
}

/// How many of a thousand are zero, rounded; `None` of nothing. A zero has either sign.
#[must_use]
pub fn share(values: &[f32]) -> Option<u16> {
    let count = values.len() as u64;
    let zeros = values.iter().filter(|it| it.to_bits() << 1 == 0).count() as u64;
    let rounded = (1000 * zeros + count / 2).checked_div(count)?;
    u16::try_from(rounded).ok()
}
