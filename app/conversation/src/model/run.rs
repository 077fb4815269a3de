//! What a person does about runs.

use planner::Offset;
use planner::graph::TensorId;
use runner::MachineKind;

use crate::model::case::Key;
use crate::model::column::Column;
use crate::model::given::Given;

/// Something that a person did about runs.
#[derive(Clone, Debug)]
pub enum RunAction {
    /// Chose the plan that the buttons are about.
    Target(Column),
    /// Chose the machine that runs.
    Machine(MachineKind),
    /// Chose a seed for the inputs.
    Seed(u64),
    /// Chose whether the CPU reference computes the same beside it.
    Reference(bool),
    /// Gave a file for the input of this position.
    Feed(usize, Given),
    /// Took the file of the input of this position away.
    Unfeed(usize),
    /// Confirms one plan.
    Start,
    /// Confirms one plan as far as this many steps.
    StartUntil(usize),
    /// Confirms every plan that is there, one after the other.
    StartAll,
    /// Runs the plan as far as these tensors are ready, and keeps their elements.
    Values(Vec<TensorId>),
    /// Stops.
    Cancel,
    /// Stops the runner and begins what it was doing once more.
    Anew,
    /// Looks at what an earlier run found.
    Look(Key),
    /// Corrupts the plan and runs it: puts this buffer there, or one of its own choice.
    Corrupt(Option<(usize, Offset)>),
    /// Chose the buffer that corrupting moves; `None` for the selected one, or any.
    Culprit(Option<usize>),
    /// Chose the buffer that it is moved onto; `None` for any.
    Victim(Option<usize>),
    /// Chose whether dragging moves rectangles.
    Handy(bool),
    /// Gave a file with another plan of the same model.
    Import(Given),
}
