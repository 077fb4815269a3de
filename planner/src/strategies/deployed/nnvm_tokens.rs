//! Storage tokens as MXNet gives them. Source: MXNet/nnvm, `PlanMemory` with the default
//! match range of 16.
//!
//! Operators are visited in order. Each may take over the tokens of inputs that it reads
//! last, if element-wise (the handovers of the lifetimes); then it requests a token for
//! every other output, the largest first, on ties the last output first; then it releases
//! the tokens of the inputs that no operator reads any more, and of outputs that no operator reads.
//! A request takes, of the free tokens of size to size · range, the smallest; if there is
//! none, of those of size / range up to size, the largest, which grows; else a new token.
//! Of tokens of one size the first released is taken in the former case, the last released
//! in the latter: free tokens stand in a multimap.
//!
//! Two things are ours. MXNet counts four bytes per element whatever the type; here sizes
//! are true ones. It releases the inputs of an operator in the operator's own order; spans
//! do not hold that order, so it is the buffers'.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::liveness::{Handover, Lifetimes};
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::objects::Assignment;
use crate::strategies::records::{Record, records};
use crate::strategies::{Observer, PlanError, Strategy, choice};
use crate::units::Bytes;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "nnvm_tokens",
    source: "MXNet/nnvm, PlanMemory, match range 16",
    family: Family::Deployed,
    model: Model::Objects,
    cost: "O(n log n)",
    growth: Growth::Linear,
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::OBJECTS
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// How a request is matched with a free token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    /// A token may be so many times as large as the request, or as small.
    pub(super) range: u64,
    /// Whether the steps of release and request must have one colour.
    pub(super) colored: bool,
}

/// Tokens with a match range of 16, whatever the colours.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let how = Match {
        range: 16,
        colored: false,
    };
    assign(Strategy::NnvmTokens, lifetimes, (options, how), observer)
}

/// Replays the requests and releases of `lifetimes`.
pub(super) fn assign(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    (options, how): (&Options, Match),
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    let mut requests: Vec<&Record> = records.iter().collect();
    requests.order_by_key(|r| (r.start, Reverse(r.size), Reverse(r.buffer)));
    // Unused outputs, which start at the step of their release, come after the inputs.
    let mut releases: Vec<&Record> = records.iter().collect();
    releases.order_by_key(|r| (r.end, r.len() == 1, r.buffer));
    let mut tokens = Tokens {
        objects: Assignment::new(lifetimes, observer)?,
        colors: how.colored.then_some(&lifetimes.colors),
        range: how.range,
        free: BTreeMap::new(),
        released: 0,
        of_buffer: vec![None; lifetimes.buffers.len()],
        holders: Vec::new(),
    };
    let mut pairs = pairs(lifetimes, &records).into_iter().peekable();
    let mut released = releases.into_iter().peekable();
    for step in requests.chunk_by(|a, b| a.start == b.start) {
        let now = step[0].start;
        while let Some(record) = released.next_if(|record| record.end <= now) {
            tokens.release(record);
        }
        while let Some((before, after)) = pairs.next_if(|(_, after)| after.start <= now) {
            if let Some(token) = tokens.to_take_over(&before, &after) {
                tokens.give(&after, Some(token))?;
            }
        }
        for record in step {
            if tokens.of_buffer[record.buffer].is_none() {
                tokens.request(record)?;
            }
        }
    }
    tokens.objects.into_plan(strategy, options)
}

/// The handovers that an element-wise operator may make, in order of their steps.
fn pairs(lifetimes: &Lifetimes, records: &[Record]) -> Vec<(Record, Record)> {
    let known = |buffer: usize| {
        let at = records.binary_search_by_key(&buffer, |record| record.buffer);
        at.ok().map(|at| records[at])
    };
    let bytes = |record: &Record| lifetimes.buffers[record.buffer].payload;
    let pair = |pair: &Handover| {
        let (before, after) = (known(pair.before)?, known(pair.after)?);
        let whole = pair.shift == Bytes::ZERO && bytes(&before) == bytes(&after);
        whole.then_some((before, after))
    };
    let mut pairs: Vec<_> = lifetimes.handovers.iter().filter_map(pair).collect();
    pairs.order_by_key(|(_, after)| after.start);
    pairs
}

/// The tokens, free and taken.
struct Tokens<'a> {
    objects: Assignment<'a>,
    /// Colour of each step, if colours matter.
    colors: Option<&'a Vec<u32>>,
    range: u64,
    /// Free tokens by colour of the step that released them, size and number of the release.
    free: BTreeMap<(u32, u64, u64), usize>,
    /// Number of releases so far.
    released: u64,
    /// Token of each buffer that has had one.
    of_buffer: Vec<Option<usize>>,
    /// The buffer that has each token now, or had it last.
    holders: Vec<usize>,
}

impl Tokens<'_> {
    /// The colour of `step`; all steps have one where nothing is coloured.
    fn color(&self, step: u64) -> u32 {
        let at = usize::try_from(step).ok();
        let color = at.and_then(|at| self.colors?.get(at)).copied();
        color.unwrap_or(0)
    }

    /// The token of `record` is free, unless another buffer has taken it over.
    fn release(&mut self, record: &Record) {
        let Some(token) = self.of_buffer[record.buffer] else {
            return;
        };
        if self.holders[token] == record.buffer {
            let color = self.color(record.end - 1);
            let key = (color, self.objects.size(token), self.released);
            self.free.insert(key, token);
            self.released += 1;
        }
    }

    /// The token of `before`, if `after` may be written into it: no other use of the token
    /// is left, both hold equally many bytes, and an operator reads `after`.
    fn to_take_over(&self, before: &Record, after: &Record) -> Option<usize> {
        let token = self.of_buffer[before.buffer]?;
        let fits = before.start < after.start
            && before.end == after.start + 1
            && after.len() > 1
            && self.holders[token] == before.buffer
            && self.of_buffer[after.buffer].is_none();
        fits.then_some(token)
    }

    /// Finds a token for `record`.
    fn request(&mut self, record: &Record) -> Result<(), PlanError> {
        let color = self.color(record.start);
        let (low, high) = (
            record.size / self.range,
            record.size.saturating_mul(self.range),
        );
        let larger = (color, record.size, 0)..=(color, high, u64::MAX);
        let smaller = (color, low, 0)..(color, record.size, 0);
        let found = self.free.range(larger).next();
        let found = found.or_else(|| self.free.range(smaller).next_back());
        let found = found.map(|(&key, &token)| (key, token));
        let by = choice::Match::Range {
            low: Bytes(low),
            high: Bytes(high),
            colored: self.colors.is_some(),
        };
        let token = found.map(|(_, token)| token);
        self.objects.chosen(record, by, token)?;
        if let Some((key, _)) = found {
            self.free.remove(&key);
        }
        self.give(record, token)
    }

    fn give(&mut self, record: &Record, token: Option<usize>) -> Result<(), PlanError> {
        let token = self.objects.give(record, token)?;
        if token == self.holders.len() {
            self.holders.push(record.buffer);
        }
        self.holders[token] = record.buffer;
        self.of_buffer[record.buffer] = Some(token);
        Ok(())
    }
}
