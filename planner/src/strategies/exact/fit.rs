//! Whether there is a plan of one given capacity.

use super::group::Group;
use super::problem::Problem;
use super::report::Reporter;
use super::rules::Rules;
use super::tree::End;
use super::{plan_of, refuse, resting};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan, Unsearched};
use crate::strategies::{Observer, PlanError};
use crate::units::Bytes;
use alloc::boxed::Box;

/// Whether there is a plan of some capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time; wasm32 does not find it large"
)]
pub enum Answer {
    /// Yes: this one.
    Fits(Box<Plan>),
    /// No: none is lower than this, or there is none at any capacity.
    Never(Option<Bytes>),
    /// The budget did not suffice, or the observer said stop.
    Unknown,
}

/// An answer and its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The answer.
    pub answer: Answer,
    /// Places tried.
    pub nodes: u64,
}

/// Searches a plan of at most `capacity` bytes, whatever else there is, within
/// `options.effort.nodes`.
///
/// # Errors
/// [`PlanError::Unsupported`] for several pools, [`PlanError::Overflow`] where sizes and
/// paddings reach 2^62.
pub fn fits(
    lifetimes: &Lifetimes,
    capacity: Bytes,
    options: &Options,
    rules: Rules,
    observer: &mut dyn Observer,
) -> Result<Fit, PlanError> {
    refuse(options)?;
    let problem = Problem::new(lifetimes, options)?;
    let mut reporter = Reporter::new(observer, options.effort.nodes);
    let mut offsets = resting(lifetimes);
    let mut answer = (problem.unsearched == Some(Unsearched::Large)).then_some(Answer::Unknown);
    let beside = problem.beside();
    if beside > capacity.0 {
        answer = Some(Answer::Never(Some(Bytes(beside))));
    }
    if answer.is_none() {
        for part in problem.partitions(rules.decomposition) {
            let mut group = Group::new(&problem, part, rules);
            match group.solve(capacity.0, &mut offsets, &mut reporter) {
                End::Found => {}
                End::Stopped => answer = Some(Answer::Unknown),
                End::Never(_) if problem.unsearched.is_some() => answer = Some(Answer::Unknown),
                End::Never(u64::MAX) => answer = Some(Answer::Never(None)),
                End::Never(bound) => answer = Some(Answer::Never(Some(Bytes(bound)))),
            }
            if answer.is_some() {
                break;
            }
        }
    }
    let answer = answer.unwrap_or_else(|| {
        reporter.plan(lifetimes, &offsets);
        Answer::Fits(Box::new(plan_of(lifetimes, offsets)))
    });
    let nodes = reporter.nodes;
    Ok(Fit { answer, nodes })
}
