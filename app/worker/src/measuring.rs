//! What is right in a scene of a lesson, as planner, judge and search say.

use lesson::{Doubt, Instance, Instances, Measured, Problem, Scene, Unmeasured, doubts, measure};
use serde::{Deserialize, Serialize};

use crate::asks::{Answered, AskContext};

/// A scene, and what its figures are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The scene.
    pub scene: Scene,
    /// The problem that it is of.
    pub problem: Option<Problem>,
    /// How that is planned.
    pub own: Instance,
    /// The setups that its figures speak of, by name.
    pub setups: Vec<(String, Instance)>,
}

/// What is right, and what is doubtful in it; or why it cannot be said.
pub type Found = Result<(Measured, Vec<Doubt>), Unmeasured>;

impl Answered for Asked {
    /// Of the case that is open for it.
    fn answer(self, at: &AskContext<'_>) -> Option<Found> {
        Some(self.measured(at))
    }
}

impl Asked {
    fn measured(&self, at: &AskContext<'_>) -> Found {
        let open = at.case().map(|case| (&*case.base, case.opened.format));
        let instances = Instances::new(&self.own, &self.setups, open)?;
        let measured = measure(&self.scene, &instances)?;
        let doubts = doubts(self.problem.as_ref(), &self.scene, &measured);
        Ok((measured, doubts))
    }
}
