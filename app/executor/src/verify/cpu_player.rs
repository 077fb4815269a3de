//! A recording on the CPU reference, played as the GPU plays it.

use planner::{Bytes, Message, message};

use super::probes::{Sight, Use};
use super::watch::Watch;
use crate::arena::Memory;
use crate::elements;
use crate::engine::{ARENA, Entry};
use crate::recording::{Operand, Recording, Region, WORD};
use crate::reference;
use crate::supply::{Supply, SupplyError};

/// A recording whose weights are in memory.
#[derive(Debug)]
pub(super) struct CpuPlayer<'a> {
    recording: &'a Recording,
    memory: Memory,
    shadow: Vec<u32>,
    results: Vec<u32>,
}

impl<'a> CpuPlayer<'a> {
    pub(super) fn new(recording: &'a Recording, supply: &Supply<'_>) -> Result<Self, SupplyError> {
        let mut memory = Memory::of(recording);
        let weights = recording.uploads.iter();
        let weights = weights.filter(|upload| upload.is_weight());
        supply.fill(weights, &mut memory)?;
        Ok(Self {
            recording,
            memory,
            shadow: Vec::new(),
            results: Vec::new(),
        })
    }

    /// Fills arena and io with a pattern, then writes inputs and state.
    pub(super) fn feed(&mut self, pattern: u32, supply: &Supply<'_>) -> Result<(), SupplyError> {
        self.memory.arena.fill(pattern);
        self.memory.io.fill(pattern);
        let inputs = self.recording.uploads.iter();
        let inputs = inputs.filter(|upload| !upload.is_weight());
        supply.fill(inputs, &mut self.memory)
    }

    pub(super) fn step(&mut self, step: usize) {
        reference::step(&self.recording.steps[step], &mut self.memory);
    }

    /// Whether floats of these are NaN or infinite.
    pub(super) fn any_odd<'o>(&self, mut operands: impl Iterator<Item = &'o Operand>) -> bool {
        operands.any(|x| {
            let words = || x.gathered(&self.memory.words(x.region));
            let odd = |words: &[u32]| elements::floats(x, words).iter().any(|it| !it.is_finite());
            elements::is_float(x.dtype) && odd(&words())
        })
    }

    /// Makes room for watching, and begins.
    pub(super) fn watch(&mut self, watch: &Watch) {
        self.shadow = vec![0; self.memory.arena.len()];
        self.results = vec![0; watch.results];
        self.probe(watch, &watch.start);
    }

    /// One step between its probes.
    pub(super) fn watched(&mut self, watch: &Watch, step: usize) {
        self.probe(watch, &watch.steps[step].before);
        self.step(step);
        self.probe(watch, &watch.steps[step].after);
    }

    fn probe(&mut self, watch: &Watch, uses: &[Use]) {
        let mut sight = Sight {
            arena: &mut self.memory.arena,
            shadow: &mut self.shadow,
            results: &mut self.results,
            table: &watch.table,
        };
        for used in uses {
            used.reference(&mut sight);
        }
    }

    pub(super) fn results(&self) -> Vec<u32> {
        self.results.clone()
    }

    pub(super) fn read(&self, region: Region) -> Vec<u32> {
        self.memory.words(region)
    }

    pub(super) fn outputs(&self) -> Vec<Vec<u32>> {
        let outputs = self.recording.outputs.iter();
        outputs
            .map(|x| x.gathered(&self.memory.words(x.region)))
            .collect()
    }

    /// The buffers, as the GPU's ledger lists them.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let entry = |label: Message, words: &Vec<u32>| Entry {
            label,
            bytes: Bytes(words.len() as u64 * WORD),
        };
        let memory = &self.memory;
        let mut entries = vec![
            entry(ARENA(), &memory.arena),
            entry(message!("inputs and outputs"), &memory.io),
        ];
        entries.extend(
            memory
                .weights
                .iter()
                .map(|words| entry(message!("weights"), words)),
        );
        entries.push(entry(message!("audit: shadow of the arena"), &self.shadow));
        entries.push(entry(message!("audit: counters"), &self.results));
        entries.retain(|entry| entry.bytes > Bytes::ZERO);
        entries
    }
}
