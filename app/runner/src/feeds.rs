//! What the graph's inputs are fed with, as words.

use executor::supply::seeded_words;
use planner::graph::{Graph, Tensor};

use crate::{Failure, Feed};

/// Integers are seeded below this: indices into whatever they are looked up in.
const BELOW: u64 = 2;

/// The words of every input of the graph, in its order.
///
/// # Errors
/// [`Failure::Input`] names the first that has no size or does not fit.
pub(crate) fn words(graph: &Graph, feeds: &[Feed], seed: u64) -> Result<Vec<Vec<u32>>, Failure> {
    let inputs = graph.inputs.iter().enumerate();
    let words = inputs.map(|(position, &id)| {
        let tensor = graph.tensor(id);
        let (count, wanted) = sizes(tensor).ok_or_else(|| Failure::Input {
            name: tensor.name.clone(),
            message: "it has no size".to_owned(),
        })?;
        match feeds.get(position) {
            None | Some(Feed::Seeded) => {
                let seed = seed.wrapping_add(position as u64);
                Ok(seeded_words(tensor.dtype, seed, count, BELOW))
            }
            Some(Feed::Words(words)) if words.len() as u64 == wanted => Ok(words.clone()),
            Some(Feed::Words(words)) => Err(Failure::Input {
                name: tensor.name.clone(),
                message: format!("{} words are there, {wanted} are needed", words.len()),
            }),
        }
    });
    words.collect()
}

/// Elements and words of a tensor.
fn sizes(tensor: &Tensor) -> Option<(u32, u64)> {
    let bytes = tensor.bytes()?.0;
    let count = bytes.checked_mul(8)? / tensor.dtype.bits()?;
    Some((u32::try_from(count).ok()?, bytes.div_ceil(4)))
}
