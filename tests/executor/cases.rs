//! Single operators that a generator in `tests/data` has made, with what another engine has
//! computed: each is run on both machines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use executor::elements::words;
use planner::Strategy;
use planner::graph::DType;
use serde::Deserialize;
use tests::runs::{Model, Outputs, gpu};
use tests::skipped::skip_unfetched;

/// Fills the memory before a run: 1e30.
const PATTERN: u32 = 0x7149_f2ca;

/// One operator; what is bytes is in hexadecimal.
#[derive(Deserialize)]
struct Case {
    name: String,
    model: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// Runs after the first, which go on with the state that it left.
    #[serde(default)]
    later: Vec<Run>,
    /// Of the outputs, where the generator says so.
    #[serde(default)]
    types: Vec<DType>,
}

/// What is fed to another run, and what comes out.
#[derive(Deserialize)]
struct Run {
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// An output as it was found and as it was expected, of the same number of words, and its type
/// where the case says so.
pub(super) struct Pair<'a> {
    pub(super) found: &'a [u32],
    pub(super) expected: &'a [u32],
    pub(super) dtype: Option<DType>,
}

/// What is wrong with an output, if anything.
pub(super) type Judge = fn(&Pair<'_>) -> Option<String>;

fn bytes(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks_exact(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(pair, 16).expect("hexadecimal")
    };
    pairs.map(byte).collect()
}

fn all_words(texts: &[String]) -> Vec<Vec<u32>> {
    texts.iter().map(|text| words(&bytes(text))).collect()
}

/// The cases of this name; `None`, and the test is skipped, where they have not been made.
fn load(name: &str) -> Option<Vec<Case>> {
    let file = format!(".cache/{name}/{name}.json");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let Ok(text) = fs::read_to_string(&file) else {
        skip_unfetched(&file.display().to_string());
        return None;
    };
    Some(serde_json::from_str(&text).expect("a list of cases"))
}

/// Runs every case of this name on both machines.
///
/// # Panics
/// When one is refused, or `judge` finds something; lists all of them by operator.
pub(super) fn hold(name: &str, judge: Judge) {
    let Some(cases) = load(name) else { return };
    let gpu = gpu();
    // By operator: how many there are, and what went wrong.
    let mut found: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for (number, case) in cases.iter().enumerate() {
        let row = found.entry(&case.name).or_default();
        row.0 += 1;
        let model = Model::open(&bytes(&case.model));
        let lowered = match model.lowered(&model.plan(Strategy::OffsetsBySize)) {
            Ok(lowered) => lowered,
            Err(why) => {
                row.1.push(format!("{number}: {why}"));
                continue;
            }
        };
        let later = case.later.iter().map(|run| &run.inputs);
        let inputs: Vec<_> = [&case.inputs].into_iter().chain(later).collect();
        let inputs: Vec<_> = inputs.into_iter().map(|it| all_words(it)).collect();
        let inputs: Vec<&[Vec<u32>]> = inputs.iter().map(Vec::as_slice).collect();
        let on_cpu = model.runs_on_cpu(&lowered, &inputs).concat();
        let on_gpu = |gpu| {
            let found = model.runs_on_gpu(gpu, &lowered, &inputs, PATTERN);
            found.expect("a run").concat()
        };
        let machines = [("CPU", Some(on_cpu)), ("GPU", gpu.as_ref().map(on_gpu))];
        for (machine, outputs) in machines {
            let wrong = outputs.and_then(|outputs| case.difference(&outputs, judge));
            let wrong = wrong.map(|why| format!("{number} on the {machine}: {why}"));
            row.1.extend(wrong);
        }
    }
    let broken: Vec<String> = found
        .iter()
        .filter(|(_, (_, wrong))| !wrong.is_empty())
        .map(|(name, (count, wrong))| format!("{name} ({count} cases): {wrong:#?}"))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

impl Case {
    fn difference(&self, outputs: &Outputs, judge: Judge) -> Option<String> {
        let later = self.later.iter().map(|run| all_words(&run.outputs));
        let expected = [all_words(&self.outputs)].into_iter().chain(later);
        let expected: Outputs = expected.flatten().collect();
        if outputs.len() != expected.len() {
            return Some(format!("{} outputs of {}", outputs.len(), expected.len()));
        }
        let pairs = outputs.iter().zip(&expected).enumerate();
        let mut wrong = pairs.filter_map(|(at, (found, expected))| {
            if found.len() != expected.len() {
                return Some(format!("output {at} has {} words", found.len()));
            }
            let pair = Pair {
                found,
                expected,
                dtype: self.types.get(at).copied(),
            };
            judge(&pair).map(|why| format!("output {at}: {why}"))
        });
        wrong.next()
    }
}

impl Pair<'_> {
    /// That a word differs, if one does.
    pub(super) fn exact(&self) -> Option<String> {
        let mut pairs = self.found.iter().zip(self.expected);
        let at = pairs.position(|(found, expected)| found != expected)?;
        Some(format!("word {at} differs"))
    }

    /// The first float that is further from what is expected than `bound` says of it.
    pub(super) fn near(&self, bound: impl Fn(f32) -> f32) -> Option<String> {
        let pairs = self.found.iter().zip(self.expected).enumerate();
        let mut floats = pairs.map(|(at, (&a, &b))| (at, f32::from_bits(a), f32::from_bits(b)));
        // A NaN is near a NaN alone: which of them a device makes, it may choose.
        let is_near = |a: f32, b: f32| {
            (a - b).abs() <= bound(b) || a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        };
        let (at, a, b) = floats.find(|&(_, a, b)| !is_near(a, b))?;
        Some(format!("element {at} is {a} for {b}"))
    }
}
