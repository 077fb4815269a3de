//! y = softmax(scale q kᵀ) v for every head and query, with masks, a cap of the scores, and
//! queries that may still have to be turned by their positions. The shader goes over the keys
//! once with the sums so far (Milakov and Gimelshein, "Online normalizer calculation for
//! softmax", 2018); here the scores of a row are at hand at once.

use bytemuck::{Pod, Zeroable};

use super::Kernel;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Where the rows of a tensor of heads lie: elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct HeadSteps {
    /// First element.
    pub at: u32,
    /// From one batch to the next.
    pub batch: u32,
    /// From one head to the next.
    pub head: u32,
    /// From one row to the next.
    pub row: u32,
}

/// How a mask is read: elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct MaskSteps {
    /// From one batch to the next.
    pub batch: u32,
    /// From one head to the next.
    pub head: u32,
    /// From one query to the next.
    pub row: u32,
    /// From one key to the next.
    pub key: u32,
    /// How many keys it knows: those after them are hidden.
    pub keys: u32,
}

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct AttentionParams {
    /// Number of batches.
    pub batches: u32,
    /// Heads of queries, and of keys and values.
    pub heads: [u32; 2],
    /// Number of queries and of keys.
    pub rows: [u32; 2],
    /// Elements of a head of queries and keys, and of values.
    pub sizes: [u32; 2],
    /// Queries, keys and values.
    pub steps: [HeadSteps; 3],
    /// y: by batch, head and row.
    pub y: [u32; 3],
    /// The two masks.
    pub masks: [MaskSteps; 2],
    /// Factor of the scores.
    pub scale: f32,
    /// Where they are capped; 0 nowhere.
    pub cap: f32,
    /// Added where a mask of integers says no; minus infinity hides the key.
    pub low: f32,
    /// Minus infinity.
    pub nothing: f32,
    /// Position of the first query among the keys.
    pub offset: i32,
    /// How many keys a query sees before and after its own position; -1 all.
    pub window: [i32; 2],
    /// Added to the numbers of keys.
    pub more: i32,
    /// Of rotary embeddings: pairs that are turned, and rows of the cosines.
    pub turned: [u32; 2],
    /// Columns of x and of the weights, where queries, keys and values are still to be made.
    pub projected: [u32; 2],
}

/// What a dispatch reads beside its parameters.
pub(super) struct Reads {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    masks: [Option<Mask>; 2],
    lengths: Option<Vec<i64>>,
    /// Added to the columns of queries, keys and values.
    bias: Option<Vec<f32>>,
    from_end: bool,
    /// Cosines and sines.
    turns: Option<[Vec<f32>; 2]>,
    neighbours: bool,
}

/// A mask, and what it does.
enum Mask {
    Added(Vec<f32>),
    Keeps(Vec<i64>),
}

/// One row of scores.
#[derive(Clone, Copy)]
struct Row {
    batch: u32,
    head: u32,
    query: u32,
    known: i64,
    position: i64,
}

/// A score on its way: raw, capped, and masked, `None` where the query does not see the key.
struct Score {
    raw: f64,
    capped: f64,
    masked: Option<f64>,
}

impl Reads {
    /// What a dispatch reads of these queries, keys and values.
    pub(super) fn of(dispatch: &Dispatch, memory: &Memory, [q, k, v]: [Vec<f32>; 3]) -> Self {
        let floats = |at: usize| memory.floats(&dispatch.inputs[at]);
        let bias = dispatch.kernel == Kernel::Attention && dispatch.value_of("BIAS") == 1;
        let mask = |name: &str, at: usize| match dispatch.value_of(name) {
            0 => None,
            1 => Some(Mask::Added(floats(at))),
            _ => Some(Mask::Keeps(memory.ints(&dispatch.inputs[at]))),
        };
        let turn = dispatch.value_of("TURN");
        let lengths = dispatch.value_of("LENGTHS") != 0;
        Self {
            q,
            k,
            v,
            masks: [mask("MASK", 3), mask("OTHER", 5)],
            lengths: lengths.then(|| memory.ints(&dispatch.inputs[4])),
            bias: bias.then(|| floats(4)),
            from_end: dispatch.value_of("FROM_END") == 1,
            turns: (turn != 0).then(|| [floats(3), floats(5)]),
            neighbours: turn == 2,
        }
    }
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let operands = [0, 1, 2].map(|at| memory.floats(&dispatch.inputs[at]));
    let reads = Reads::of(dispatch, memory, operands);
    attend(dispatch, memory, &reads);
}

/// Computes y and the scores.
pub(super) fn attend(dispatch: &Dispatch, memory: &mut Memory, reads: &Reads) {
    let params: AttentionParams = dispatch.params();
    let shown = dispatch.value_of("SCORES");
    let [heads, _] = params.heads;
    let [queries, keys] = params.rows;
    let mut y = memory.floats(&dispatch.outputs[0]);
    let mut scores = Vec::new();
    for number in 0..params.batches * heads * queries {
        let row = params.row(number, reads);
        let query = params.query(row, reads);
        let score = |j: u32| params.score((row, &query), j, reads);
        let found: Vec<Score> = (0..keys).map(score).collect();
        let masked = found.iter().filter_map(|score| score.masked);
        let most = masked.clone().fold(f64::MIN, f64::max);
        let all: f64 = masked.map(|score| (score - most).exp()).sum();
        let share = |score: &Score| match score.masked {
            Some(masked) => (masked - most).exp() / all,
            None => 0.0,
        };
        let shares: Vec<f64> = found.iter().map(share).collect();
        let first = row.batch * params.y[0] + row.head * params.y[1] + row.query * params.y[2];
        let values = params.mix(row, &shares, reads);
        y[first as usize..][..values.len()].copy_from_slice(&values);
        let element = |(score, share): (&Score, &f64)| match shown {
            1 => score.raw,
            2 => score.capped,
            3 => score.masked.unwrap_or(f64::NEG_INFINITY),
            _ => *share,
        };
        if shown != 0 {
            scores.extend(found.iter().zip(&shares).map(element).map(narrow));
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
    if let (1.., Some(output)) = (shown, dispatch.outputs.get(1)) {
        memory.put_floats(output, &scores);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
fn narrow(x: f64) -> f32 {
    x as f32
}

impl HeadSteps {
    fn row(&self, batch: u32, head: u32, row: u32) -> usize {
        (self.at + batch * self.batch + head * self.head + row * self.row) as usize
    }
}

impl AttentionParams {
    fn row(&self, number: u32, reads: &Reads) -> Row {
        let ([heads, _], [queries, keys]) = (self.heads, self.rows);
        let query = number % queries;
        let batch = number / queries / heads;
        let (mut known, mut first) = (i64::from(keys), i64::from(self.offset));
        if let Some(lengths) = &reads.lengths {
            known = lengths[batch as usize] + i64::from(self.more);
            if reads.from_end {
                first = known - i64::from(queries);
            }
        }
        Row {
            batch,
            head: number / queries % heads,
            query,
            known,
            position: first + i64::from(query),
        }
    }

    /// The head of keys and values for one of queries.
    fn shared(&self, head: u32) -> u32 {
        head / (self.heads[0] / self.heads[1])
    }

    /// What is added to the columns from `first` on.
    fn shifts<'a>(reads: &'a Reads, first: u32) -> impl Iterator<Item = f64> + 'a {
        let bias = reads.bias.as_deref().unwrap_or_default();
        let given = bias
            .iter()
            .skip(first as usize)
            .map(|shift| f64::from(*shift));
        given.chain(std::iter::repeat(0.0))
    }

    /// The query, turned by its position where that is asked.
    fn query(&self, row: Row, reads: &Reads) -> Vec<f64> {
        let start = self.steps[0].row(row.batch, row.head, row.query);
        let plain = &reads.q[start..][..self.sizes[0] as usize];
        let shifts = Self::shifts(reads, row.head * self.sizes[0]);
        let shifted = plain
            .iter()
            .zip(shifts)
            .map(|(x, shift)| f64::from(*x) + shift);
        let mut turned: Vec<f64> = shifted.collect();
        let Some([cosines, sines]) = &reads.turns else {
            return turned;
        };
        let [pairs, positions] = self.turned;
        let place = row.position.clamp(0, i64::from(positions) - 1);
        let place = usize::try_from(place).unwrap_or_default() * pairs as usize;
        for pair in 0..pairs as usize {
            let (a, b) = match reads.neighbours {
                true => (2 * pair, 2 * pair + 1),
                false => (pair, pair + pairs as usize),
            };
            let [cosine, sine] = [cosines, sines].map(|of| f64::from(of[place + pair]));
            let (x, y) = (f64::from(plain[a]), f64::from(plain[b]));
            turned[a] = cosine * x - sine * y;
            turned[b] = sine * x + cosine * y;
        }
        turned
    }

    fn score(&self, (row, query): (Row, &[f64]), j: u32, reads: &Reads) -> Score {
        let start = self.steps[1].row(row.batch, self.shared(row.head), j);
        let key = &reads.k[start..][..self.sizes[0] as usize];
        let column = (self.heads[0] + self.shared(row.head)) * self.sizes[0];
        let key = key.iter().zip(Self::shifts(reads, column));
        let key = key.map(|(x, shift)| f64::from(*x) + shift);
        let dot: f64 = query.iter().zip(key).map(|(q, k)| q * k).sum();
        let raw = dot * f64::from(self.scale);
        let cap = f64::from(self.cap);
        let capped = if cap > 0.0 {
            cap * (raw / cap).tanh()
        } else {
            raw
        };
        let away = i64::from(j) - row.position;
        let [before, after] = self.window.map(i64::from);
        let near = (before < 0 || -away <= before) && (after < 0 || away <= after);
        let mut masked = (near && i64::from(j) < row.known).then_some(capped);
        for (mask, steps) in reads.masks.iter().zip(&self.masks) {
            let Some(mask) = mask else { continue };
            if j >= steps.keys {
                masked = None;
                continue;
            }
            let at = row.batch * steps.batch + row.head * steps.head + row.query * steps.row;
            let at = (at + j * steps.key) as usize;
            let bias = match mask {
                Mask::Added(floats) => floats[at],
                Mask::Keeps(ints) if ints[at] == 0 => self.low,
                Mask::Keeps(_) => 0.0,
            };
            masked = masked.filter(|_| bias != f32::NEG_INFINITY);
            masked = masked.map(|score| (score + f64::from(bias)).max(f64::from(f32::MIN)));
        }
        Score {
            raw,
            capped,
            masked,
        }
    }

    /// The values with their shares.
    fn mix(&self, row: Row, shares: &[f64], reads: &Reads) -> Vec<f32> {
        let mut sums = vec![0.0; self.sizes[1] as usize];
        for (j, share) in (0..).zip(shares).filter(|(_, share)| **share != 0.0) {
            let start = self.steps[2].row(row.batch, self.shared(row.head), j);
            for (sum, value) in sums.iter_mut().zip(&reads.v[start..]) {
                *sum += share * f64::from(*value);
            }
        }
        let column = (self.heads[0] + self.heads[1]) * self.sizes[0];
        let column = column + self.shared(row.head) * self.sizes[1];
        // The shares make 1, unless no key is seen.
        let whole = shares.iter().any(|share| *share != 0.0);
        let shifts = Self::shifts(reads, column).map(|shift| if whole { shift } else { 0.0 });
        let shifted = sums.into_iter().zip(shifts);
        shifted.map(|(sum, shift)| narrow(sum + shift)).collect()
    }
}
