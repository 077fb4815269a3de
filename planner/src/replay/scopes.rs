//! What a program said of itself: as names of steps, and as scopes from start to end.

use super::{Annotation, Device};
use crate::deployed::Scope;
use crate::units::Span;

impl Annotation {
    /// As a step is named by it.
    pub(super) fn text(&self) -> String {
        let Self { name, stage } = self;
        match stage.as_str() {
            "START" => format!("{name} starts"),
            "END" => format!("{name} ends"),
            "" => name.clone(),
            stage => format!("{name} {stage}"),
        }
    }
}

/// The scopes by where they begin. An end closes the last of its name that is open; what is
/// never closed stays open to the end.
pub(super) fn scopes(device: &Device) -> Vec<Scope> {
    let horizon = device.events.len() as u64 + 1;
    let mut scopes: Vec<Scope> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (event, annotation) in &device.annotations {
        let step = (*event as u64 + 1).min(horizon);
        match annotation.stage.as_str() {
            "START" => {
                open.push(scopes.len());
                scopes.push(Scope {
                    name: annotation.name.clone(),
                    span: Span::new(step, horizon),
                });
            }
            "END" => {
                let same = |&index: &usize| scopes[index].name == annotation.name;
                if let Some(place) = open.iter().rposition(same) {
                    scopes[open.remove(place)].span.end.0 = step;
                }
            }
            _ => {}
        }
    }
    scopes
}
