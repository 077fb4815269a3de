//! Rhu et al., "vDNN: Virtualized Deep Neural Networks for Scalable, Memory-Efficient Neural
//! Network Design", MICRO 2016, sections III.A and III.B.
//!
//! In the forward pass each layer sends its input (X) to the host while it runs; the next layer
//! starts once both have ended. In the backward pass each layer fetches the input of the nearest
//! earlier layer whose input is away, and ends with the copy; the search ends at a convolution, so
//! that nothing comes long before it is needed. An input that several layers read is sent by the
//! last of them.

use crate::training::Problem;
use crate::training::costs::is_convolution;
use crate::training::swap::script::{Absence, How, Script};

/// What vDNN does with the inputs of all layers, or of convolutions.
#[must_use]
pub fn vdnn(problem: &Problem, only_convolutions: bool) -> Script {
    let forward = problem.forward();
    let convolution = |node: &usize| is_convolution(problem.nodes[*node].operator);
    // The inputs that each layer sends, with the node that reads them next.
    let mut sent: Vec<Vec<(usize, usize)>> = vec![Vec::new(); forward];
    for (value, readers) in problem.readers().iter().enumerate().take(forward) {
        let (layers, later): (Vec<usize>, Vec<usize>) =
            readers.iter().partition(|reader| **reader < forward);
        let sends = !only_convolutions || layers.iter().any(convolution);
        if let (Some(&layer), Some(&next), true) = (layers.last(), later.first(), sends) {
            sent[layer].push((value, next));
        }
    }
    let mut absences = Vec::new();
    let mut fetched = vec![false; forward];
    let mut fetch = |layer: usize, with: Option<usize>| {
        for &(value, before) in &sent[layer] {
            absences.push(Absence {
                value,
                after: layer,
                before,
                how: How::Swap {
                    copy: layer - 1,
                    fetch: with.map_or(before, |with| with.min(before)),
                },
            });
        }
    };
    for (node, own) in problem.nodes.iter().enumerate().skip(forward) {
        let Some(of) = own.gradient_of.filter(|of| *of < forward) else {
            continue;
        };
        for layer in (0..of).rev() {
            if !sent[layer].is_empty() && !fetched[layer] {
                fetched[layer] = true;
                fetch(layer, Some(node));
                break;
            }
            if convolution(&layer) {
                break;
            }
        }
    }
    let rest = (0..forward).filter(|layer| !fetched[*layer]);
    rest.for_each(|layer| fetch(layer, None));
    Script {
        absences,
        layers_end_together: true,
        passive: false,
    }
}
