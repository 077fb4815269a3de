//! An ONNX model whose weights lie in files beside it: all are opened together, and addresses
//! count through them as if one followed the other.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fault, LoadError, Part, Source, SourceError, Warning, head, onnx};
use crate::graph::{Content, Dim, Graph, Tensor};
use crate::sorting::inserted;
use crate::{Message, message};

/// Several sources, one after the other.
pub struct Joined<'a>(pub Vec<&'a dyn Source>);

impl Source for Joined<'_> {
    fn len(&self) -> u64 {
        self.0.iter().map(|part| part.len()).sum()
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let beyond = || SourceError::Beyond {
            start,
            len: target.len() as u64,
        };
        let end = start.checked_add(target.len() as u64);
        end.filter(|&end| end <= self.len()).ok_or_else(beyond)?;
        let (mut before, mut rest) = (0_u64, target);
        for part in &self.0 {
            let at = start.max(before);
            let after = before + part.len();
            if at < after && !rest.is_empty() {
                let here = usize::try_from(after - at).unwrap_or(usize::MAX);
                let (now, later) = rest.split_at_mut(here.min(rest.len()));
                part.read_at(at - before, now)?;
                rest = later;
            }
            before = after;
        }
        Ok(())
    }
}

/// The model in `parts`, if one of them is an ONNX model and every other is a file that it names;
/// but for the part at the place `left_out`, beside which a model may be alone.
///
/// # Errors
/// See [`LoadError`].
pub(super) fn model(
    parts: &[Part<'_>],
    left_out: Option<usize>,
) -> Result<Option<(Graph, Vec<Warning>)>, LoadError> {
    let counts = |place: &usize| Some(*place) != left_out;
    for (place, part) in parts.iter().enumerate().filter(|it| counts(&it.0)) {
        let is_model = head(part.source).is_ok_and(|head| onnx::sniff(&head));
        if !is_model {
            continue;
        }
        let others = parts.iter().enumerate();
        let others = others.filter(|(other, _)| *other != place && counts(other));
        let others: BTreeSet<&str> = inserted(others.map(|(_, part)| file_name(part.name)));
        let Ok((mut graph, warnings)) = onnx::read(part.source) else {
            continue;
        };
        let named = named(&mut graph);
        let alone = others.is_empty() && left_out.is_none();
        if alone || !others.iter().all(|other| named.contains(*other)) {
            continue;
        }
        resolve(&mut graph, parts, place)?;
        return Ok(Some((graph, warnings)));
    }
    Ok(None)
}

/// The names of the files that the ONNX model in `source` has its weights in; `None` where it is
/// no model, or has them itself.
pub(super) fn names(source: &dyn Source) -> Option<BTreeSet<String>> {
    let is_model = head(source).is_ok_and(|head| onnx::sniff(&head));
    let (mut graph, _) = is_model.then(|| onnx::read(source).ok())??;
    Some(named(&mut graph)).filter(|names| !names.is_empty())
}

/// What a path ends with.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The names of the files beside the model.
fn named(graph: &mut Graph) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    graph.each_mut(&mut |graph| {
        for tensor in &graph.tensors {
            if let Content::External { path, .. } = &tensor.content {
                named.insert(file_name(path).to_owned());
            }
        }
    });
    named
}

/// The bytes of a tensor whose dimensions are all declared.
fn declared_bytes(tensor: &Tensor) -> Option<u64> {
    let mut elements = 1_u64;
    for dim in tensor.declared.as_ref()? {
        let Dim::Fixed(dim) = dim else { return None };
        elements = elements.checked_mul(*dim)?;
    }
    Some(elements.checked_mul(tensor.dtype.bits()?)?.div_ceil(8))
}

/// Makes ranges of all parts together of what lies in one of them.
fn resolve(graph: &mut Graph, parts: &[Part<'_>], model: usize) -> Result<(), LoadError> {
    let mut starts = BTreeMap::new();
    let (mut before, mut own) = (0_u64, 0);
    for (place, part) in parts.iter().enumerate() {
        if place == model {
            own = before;
        } else {
            starts.insert(file_name(part.name), (before, part.source.len()));
        }
        before = before.saturating_add(part.source.len());
    }
    let place = PartStarts { starts, own };
    let mut found = Ok(());
    graph.each_mut(&mut |graph| {
        for tensor in &mut graph.tensors {
            if found.is_ok() {
                found = place.resolve(tensor);
            }
        }
    });
    found
}

/// Where the parts begin when one follows the other.
struct PartStarts<'a> {
    /// Of the files beside the model: where they begin, and how long they are.
    starts: BTreeMap<&'a str, (u64, u64)>,
    /// Where the model begins.
    own: u64,
}

impl PartStarts<'_> {
    /// Makes a range of all parts together of what lies in one of them.
    fn resolve(&self, tensor: &mut Tensor) -> Result<(), LoadError> {
        let bytes = declared_bytes(tensor);
        match &mut tensor.content {
            Content::Range { start, .. } => *start = start.saturating_add(self.own),
            Content::External { path, start, len } => {
                let Some(&(before, size)) = self.starts.get(file_name(path)) else {
                    return Ok(());
                };
                let len = len.or(bytes).unwrap_or(0);
                let inside = start.checked_add(len).is_some_and(|end| end <= size);
                let name = &tensor.name;
                if !inside {
                    return Err(Fault::Malformed.at(
                        Message::verbatim(file_name(path)),
                        message!(
                            "\"{}\" has {} bytes at {}, and the file has {}",
                            name,
                            len,
                            *start,
                            size
                        ),
                    ));
                }
                tensor.content = Content::Range {
                    start: before.saturating_add(*start),
                    len,
                };
            }
            _ => {}
        }
        Ok(())
    }
}
