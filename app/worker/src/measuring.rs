//! What is right in a scene of a lesson, as planner, judge and search say.

use lesson::{Doubt, Instance, Instances, Measured, Problem, Scene, Unmeasured, doubts, measure};
use serde::{Deserialize, Serialize};

use crate::Packed;
use crate::case::Case;

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

/// Measures a scene; `case` is the one that is open for it.
pub(crate) fn found(case: Option<&Case>, asked: &Packed<Asked>) -> Found {
    let asked = asked.open().ok_or(Unmeasured::not_there("scene"))?;
    let open = case.map(|case| (&*case.base, case.opened.format));
    let instances = Instances::new(&asked.own, &asked.setups, open)?;
    let measured = measure(&asked.scene, &instances)?;
    let doubts = doubts(asked.problem.as_ref(), &asked.scene, &measured);
    Ok((measured, doubts))
}
