//! Whole models with seeded random weights and what a reference engine makes of them, made
//! by `tests/whole_models.mjs`.

use std::fs;
use std::path::{Path, PathBuf};

use planner::graph::DType;
use serde::Deserialize;

use crate::skipped::skip_unfetched;

/// A model, inputs for it, and the outputs that they give.
#[derive(Clone, Debug)]
pub struct WholeModel {
    /// Short name: `resnet50`.
    pub name: String,
    /// The model, weights inside. Its ending says the format.
    pub file: PathBuf,
    /// What was fed, by the graph's own names.
    pub inputs: Vec<Array>,
    /// What came out. Two engines that sum in different orders differ by up to 5e-6 of the
    /// largest element; single elements near 0 differ by far more of themselves.
    pub outputs: Vec<Array>,
    /// Which engine computed the outputs, with its version.
    pub engine: String,
}

/// A tensor with its elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Name in the graph.
    pub name: String,
    /// Element type: f32 or i64.
    pub dtype: DType,
    /// Dimensions, outermost first.
    pub dims: Vec<u64>,
    /// The elements, little-endian, without gaps.
    pub bytes: Vec<u8>,
}

impl WholeModel {
    /// The file's content: up to 100 MB, thus read when it is wanted.
    ///
    /// # Panics
    /// When the file is gone or cannot be read.
    #[must_use]
    pub fn content(&self) -> Vec<u8> {
        let content = fs::read(&self.file);
        content.unwrap_or_else(|error| panic!("{}: {error}", self.file.display()))
    }
}

impl Array {
    /// The elements of an f32 tensor.
    ///
    /// # Panics
    /// When it is of another type.
    #[must_use]
    pub fn f32s(&self) -> Vec<f32> {
        assert_eq!(self.dtype, DType::F32, "{}", self.name);
        let (words, _) = self.bytes.as_chunks();
        words.iter().copied().map(f32::from_le_bytes).collect()
    }

    /// The elements of an i64 tensor: tokens, positions and masks.
    ///
    /// # Panics
    /// When it is of another type.
    #[must_use]
    pub fn i64s(&self) -> Vec<i64> {
        assert_eq!(self.dtype, DType::I64, "{}", self.name);
        let (words, _) = self.bytes.as_chunks();
        words.iter().copied().map(i64::from_le_bytes).collect()
    }
}

/// A model in `index.json`.
#[derive(Deserialize)]
struct Row {
    name: String,
    file: String,
    engine: String,
    inputs: Vec<IndexedTensor>,
    outputs: Vec<IndexedTensor>,
}

/// A tensor in `index.json`.
#[derive(Deserialize)]
struct IndexedTensor {
    name: String,
    dtype: String,
    dims: Vec<u64>,
    /// First byte and number of bytes in `index.bin`.
    range: [u64; 2],
}

/// Every whole model; `None`, said aloud, where they have not been made.
///
/// # Panics
/// Under CI when they have not been made, and when they are there but not as the generator
/// writes them.
#[must_use]
pub fn load() -> Option<Vec<WholeModel>> {
    load_from("whole_models")
}

/// Every whole model that ONNX Runtime's tools have quantised, in the same way.
///
/// # Panics
/// As [`load`] does.
#[must_use]
pub fn load_quantised() -> Option<Vec<WholeModel>> {
    load_from("quantised_models")
}

fn load_from(name: &str) -> Option<Vec<WholeModel>> {
    let folder = format!(".cache/{name}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(index) = fs::read(folder.join("index.json")) else {
        skip_unfetched(&folder.display().to_string());
        return None;
    };
    let elements = fs::read(folder.join("index.bin")).expect("the elements lie beside the index");
    let rows: Vec<Row> = serde_json::from_slice(&index).expect("the index lists models");
    let model = |row: Row| WholeModel {
        file: folder.join(row.file),
        name: row.name,
        inputs: arrays(row.inputs, &elements),
        outputs: arrays(row.outputs, &elements),
        engine: row.engine,
    };
    Some(rows.into_iter().map(model).collect())
}

fn arrays(places: Vec<IndexedTensor>, elements: &[u8]) -> Vec<Array> {
    let arrays = places.into_iter().map(|place| array(place, elements));
    arrays.collect()
}

fn array(place: IndexedTensor, elements: &[u8]) -> Array {
    let dtype = match place.dtype.as_str() {
        "float32" => DType::F32,
        "int64" => DType::I64,
        other => panic!("{} is {other}, which no whole model has", place.name),
    };
    let count: u64 = place.dims.iter().product();
    let [start, len] = place.range;
    assert_eq!(dtype.bits(), Some(len * 8 / count), "{}", place.name);
    let index = |at: u64| usize::try_from(at).expect("a place in the file");
    Array {
        name: place.name,
        dtype,
        dims: place.dims,
        bytes: elements[index(start)..index(start + len)].to_vec(),
    }
}
