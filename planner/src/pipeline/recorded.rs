//! What an allocator recorded: a large dump as what is planned, and a plan as a recording.

use super::{Subject, prepare};
use crate::deployed::Arena;
use crate::graph::Bindings;
use crate::liveness::{self, TooLarge};
use crate::load::Document;
use crate::plan::Plan;
use crate::query::Field;
use crate::save::Recorded;
use crate::settings::Settings;
use crate::units::{Bytes, Step};
use crate::waste::reach;

/// What is to be planned of a document that nobody needs any longer: a large dump is not there
/// twice.
///
/// # Errors
/// [`TooLarge`] when a size goes beyond what can be planned.
pub fn prepare_owned(
    document: Document,
    bindings: &Bindings,
    settings: &Settings,
) -> Result<Subject, TooLarge> {
    let mut deployed = match document {
        Document::Deployed(deployed) => deployed,
        other => return prepare(&other, bindings, settings),
    };
    let index = match settings.arena as usize {
        chosen if chosen < deployed.arenas.len() => chosen,
        _ => 0,
    };
    let arena = deployed.arenas.get_mut(index).map(std::mem::take);
    let subject = Subject {
        stacks: deployed.stacks,
        toolchain: deployed.toolchain,
        totals: deployed.totals,
        said: deployed.said,
        ..of_arena(arena.unwrap_or_default())
    };
    liveness::admit(&subject.lifetimes, settings.alignment)?;
    Ok(subject)
}

/// An arena of a dump, without what its file says of all of them.
pub(super) fn of_arena(arena: Arena) -> Subject {
    let is_placed = arena.placed().is_some();
    Subject {
        lifetimes: arena.lifetimes,
        deployed: is_placed.then_some(arena.plan),
        notes: arena.notes,
        lanes: arena.lanes,
        scopes: arena.scopes,
        refused: arena.refused,
        clock: arena.clock,
        separate: arena.separate,
        ..Subject::default()
    }
}

impl Subject {
    /// What the file says is there beyond the largest buffers, where it lists no others; zero
    /// where it does not say how much. `None` where all are listed.
    #[must_use]
    pub fn not_listed(&self) -> Option<Bytes> {
        let plan = self.deployed.as_ref().filter(|plan| plan.partial)?;
        let listed = reach(&self.lifetimes, plan).0;
        let known = listed.saturating_add(plan.stated.sum().0);
        Some(Bytes(plan.arena.0.saturating_sub(known)))
    }

    /// What `write` makes of `plan` with all that is known of it, such as a memory snapshot of
    /// PyTorch; `name` is what the arena is called.
    #[must_use]
    pub fn recorded<T>(
        &self,
        name: &str,
        plan: &Plan,
        write: impl FnOnce(&Recorded<'_>) -> T,
    ) -> T {
        let facts = self.facts(Step(0), None);
        let makers =
            (0..self.lifetimes.buffers.len()).map(|it| facts.first(Field::Op, it).to_owned());
        write(&Recorded {
            name,
            lifetimes: &self.lifetimes,
            plan,
            notes: &self.notes,
            stacks: &self.stacks,
            scopes: &self.scopes,
            refused: self.refused_under(plan),
            clock: self.clock.times(),
            makers: &makers.collect::<Vec<_>>(),
            steps: &self.step_names(),
        })
    }
}
