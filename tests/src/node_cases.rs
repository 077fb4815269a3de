//! ONNX's node test cases: models of one operator with inputs and the outputs that the
//! specification's authors expect. `tests/fixtures.mjs` makes them, from the list of names in
//! `tests/data/node_cases.txt`.

use std::fs;
use std::path::{Path, PathBuf};

use half::{bf16, f16};
use planner::graph::{Content, DType, Graph, Role};
use planner::passes::parameters;
use serde::Deserialize;

use crate::skipped::skip_unfetched;

/// A case with its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCase {
    /// Its name in the list: "`test_conv_with_strides_padding`".
    pub name: String,
    /// The operator that it is about.
    pub op: String,
    /// The `.onnx` file.
    pub model: Vec<u8>,
    /// What to feed, in the order of the model's inputs. What the operator leaves out is not
    /// among them: its name in the model is empty.
    pub inputs: Vec<Array>,
    /// What must come out, in the order of the model's outputs.
    pub outputs: Vec<Array>,
    /// Largest difference as a share of the expected element, to which `atol` is added.
    pub rtol: f64,
    /// Largest difference where `rtol` allows none.
    pub atol: f64,
}

/// A tensor of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Name in the model.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Dimensions, outermost first; none for a scalar, 0 among them for no elements.
    pub dims: Vec<u64>,
    /// Little-endian elements in row-major order; booleans are bytes 0 and 1.
    pub bytes: Vec<u8>,
}

/// One entry of `cases.json`.
#[derive(Deserialize)]
struct Entry {
    name: String,
    op: String,
    model: (usize, usize),
    inputs: Vec<StoredTensor>,
    outputs: Vec<StoredTensor>,
    rtol: f64,
    atol: f64,
}

/// A tensor of a case, as an index beside a file of elements has it.
#[derive(Debug, Deserialize)]
pub struct StoredTensor {
    name: String,
    dtype: DType,
    dims: Vec<u64>,
    /// First byte and number of bytes.
    range: (usize, usize),
}

impl Array {
    /// The elements of an array of floats of 16 bits or more; `None` for other element types.
    #[must_use]
    pub fn floats(&self) -> Option<Vec<f64>> {
        let bytes = &self.bytes;
        Some(match self.dtype {
            DType::F64 => decoded(bytes, f64::from_le_bytes),
            DType::F32 => decoded(bytes, |raw| f32::from_le_bytes(raw).into()),
            DType::F16 => decoded(bytes, |raw| f16::from_le_bytes(raw).into()),
            DType::BF16 => decoded(bytes, |raw| bf16::from_le_bytes(raw).into()),
            _ => return None,
        })
    }

    /// The same array with the elements that a run found, of which the last word may be filled
    /// in part.
    #[must_use]
    pub fn with_words(&self, words: &[u32]) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        Self {
            bytes: bytes.take(self.bytes.len()).collect(),
            ..self.clone()
        }
    }
}

fn decoded<const N: usize>(bytes: &[u8], float: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    bytes.as_chunks().0.iter().copied().map(float).collect()
}

impl NodeCase {
    /// What does not fit in the words that a run found for each output, if anything. The bound
    /// is that of ONNX's own runner: a NaN fits a NaN alone, an infinity itself.
    #[must_use]
    pub fn difference(&self, found: &[Vec<u32>]) -> Option<String> {
        if found.len() != self.outputs.len() {
            return Some(format!("{} outputs of {}", found.len(), self.outputs.len()));
        }
        let pairs = found.iter().zip(&self.outputs);
        pairs
            .filter_map(|(words, expected)| self.apart(words, expected))
            .next()
    }

    fn apart(&self, words: &[u32], expected: &Array) -> Option<String> {
        let found = expected.with_words(words);
        let name = &expected.name;
        let (Some(floats), Some(values)) = (found.floats(), expected.floats()) else {
            return (found.bytes != expected.bytes).then(|| format!("{name} differs"));
        };
        if floats.len() != values.len() {
            return Some(format!("{name} has {} elements", floats.len()));
        }
        let fits = |found: f64, value: f64| {
            let near = (found - value).abs() <= self.atol + self.rtol * value.abs();
            near || found.total_cmp(&value).is_eq() || found.is_nan() && value.is_nan()
        };
        let mut pairs = floats.iter().zip(&values);
        let (found, value) = pairs.find(|&(&found, &value)| !fits(found, value))?;
        Some(format!("{name} holds {found} for {value}"))
    }
}

/// The names of the cases that no run passes, in order.
#[must_use]
pub fn refused() -> Vec<&'static str> {
    let list = include_str!("../data/node_cases_refused.txt");
    let mut names: Vec<&str> = list
        .lines()
        .filter(|line| line.starts_with("test_"))
        .collect();
    names.sort_unstable();
    names
}

/// All cases in the order of the list. `None`, and the test is skipped, where they have not
/// been made.
///
/// # Panics
/// When they have not been made under CI, and when the files contradict each other.
#[must_use]
pub fn load() -> Option<Vec<NodeCase>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".cache/node_cases");
    let Some((index, bin)) = read(&folder) else {
        skip_unfetched(&folder.display().to_string());
        return None;
    };
    let entries: Vec<Entry> = serde_json::from_slice(&index).expect("cases.json is an index");
    let cases = entries.into_iter().map(|entry| case(entry, &bin));
    Some(cases.collect())
}

/// `cases.json` and `cases.bin`; `None` unless the set-up has finished them.
fn read(folder: &Path) -> Option<(Vec<u8>, Vec<u8>)> {
    fs::metadata(folder.join("made")).ok()?;
    let file = |name| fs::read(folder.join(name)).ok();
    Some((file("cases.json")?, file("cases.bin")?))
}

fn part((start, len): (usize, usize), bin: &[u8]) -> Vec<u8> {
    let bytes = bin.get(start..).and_then(|rest| rest.get(..len));
    bytes
        .expect("the elements are as many as the index says")
        .to_vec()
}

/// The tensors at these places of `bin`.
///
/// # Panics
/// When it is shorter than they say.
#[must_use]
pub fn arrays(places: Vec<StoredTensor>, bin: &[u8]) -> Vec<Array> {
    let array = |place: StoredTensor| Array {
        name: place.name,
        dtype: place.dtype,
        dims: place.dims,
        bytes: part(place.range, bin),
    };
    places.into_iter().map(array).collect()
}

fn case(entry: Entry, bin: &[u8]) -> NodeCase {
    let arrays = |places| arrays(places, bin);
    NodeCase {
        name: entry.name,
        op: entry.op,
        model: part(entry.model, bin),
        inputs: arrays(entry.inputs),
        outputs: arrays(entry.outputs),
        rtol: entry.rtol,
        atol: entry.atol,
    }
}

/// Operator and name of every line of the list.
#[must_use]
pub fn listed() -> Vec<(&'static str, &'static str)> {
    let list = include_str!("../data/node_cases.txt");
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let mut operator = "";
    let mut names = Vec::new();
    for line in lines {
        match (line.strip_prefix("  "), line.split(' ').next()) {
            (Some(case), _) => names.push((operator, case.split(' ').next().unwrap_or(case))),
            (None, Some(heading)) => operator = heading,
            (None, None) => {}
        }
    }
    names
}

/// The graph of `case` with what the case feeds into parameters (shapes, axes, counts and the
/// like) as constants of the graph, as a real model has them. All other inputs stay inputs.
#[must_use]
pub fn with_constants(mut graph: Graph, case: &NodeCase) -> Graph {
    for id in parameters(&graph) {
        let name = &graph.tensor(id).name;
        if let Some(array) = case.inputs.iter().find(|array| array.name == *name) {
            graph.inputs.retain(|&input| input != id);
            graph.tensors[id.index()].role = Role::Constant;
            graph.tensors[id.index()].content = Content::Inline(array.bytes.clone());
        }
    }
    graph
}
