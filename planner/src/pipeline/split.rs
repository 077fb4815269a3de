//! Bytes of a model by what holds them.

use serde::{Deserialize, Serialize};

use crate::graph::{Role, TensorId};
use crate::program::Program;
use crate::units::Bytes;

/// Payload bytes of a model by role, and how many tensors have no size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// Constants.
    pub constants: Bytes,
    /// Variable state.
    pub state: Bytes,
    /// Graph inputs.
    pub inputs: Bytes,
    /// Graph outputs.
    pub outputs: Bytes,
    /// Intermediates: the dynamic part, before any reuse.
    pub intermediates: Bytes,
    /// Tensors left out because they have no size.
    pub unsized_tensors: u64,
}

/// Sums storages, each under the role of the tensor that names it.
pub(super) fn split(program: &Program) -> Split {
    let mut split = Split::default();
    let graph = &program.graph;
    let views = program.storages.views.iter();
    for (index, view) in views.enumerate() {
        let tensor = &graph.tensors[index];
        let part = match tensor.role {
            Role::Unsized => {
                split.unsized_tensors += 1;
                continue;
            }
            _ if program.storages.named(view.base) != Some(TensorId::at(index)) => continue,
            Role::Input => &mut split.inputs,
            Role::Output => &mut split.outputs,
            Role::Constant => &mut split.constants,
            Role::Intermediate => &mut split.intermediates,
            Role::State => &mut split.state,
        };
        part.0 = part
            .0
            .saturating_add(graph.held(tensor).unwrap_or_default().0);
    }
    split
}
