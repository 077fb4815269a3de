//! How many bytes each group of buffers needs over time, as bands that lie on each other.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::liveness::Lifetimes;
use crate::query::{Facts, Field};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};

/// The groups of a schedule over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// The bands, the one that needs most at any step first; what has no band of its own last.
    pub bands: Vec<Band>,
    /// The schedule from the first edge to the last.
    pub columns: Vec<Column>,
}

/// One group, or all that have no band of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Band {
    /// What is known of the buffers; empty where nothing is, and where there are several groups.
    pub text: String,
    /// How many groups are in it.
    pub groups: usize,
}

/// Some steps, and what the bands need at the one of them at which all together need most, the
/// first of several such: no peak is missed, and each column is exact at its step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// The steps.
    pub span: Span,
    /// The one of which the bytes are.
    pub step: Step,
    /// What each band needs then.
    pub bytes: Vec<Bytes>,
    /// What all need together.
    pub total: Bytes,
}

/// From a step on a group needs so many bytes more, or fewer.
type Change = (Step, i64, usize);

/// What groups of buffers by a text field need over time, between ascending `edges`, each pair of
/// which makes a column. The `most` groups that need most at any step have a band each, ties by
/// text; others share one. O(n log n), whatever the horizon.
#[must_use]
pub fn area(
    facts: &Facts,
    lifetimes: &Lifetimes,
    field: Field,
    (edges, most): (&[Step], usize),
) -> Area {
    let (texts, mut changes) = changes(facts, lifetimes, field);
    changes.sort_unstable();
    let peaks = peaks(&changes, texts.len());
    let mut order: Vec<usize> = (0..texts.len()).filter(|&group| peaks[group] > 0).collect();
    order.order_by_key(|&group| Reverse(peaks[group]));
    let rest = order.split_off(most.min(order.len()));
    let band = |&group: &usize| Band {
        text: texts[group].to_owned(),
        groups: 1,
    };
    let mut bands: Vec<Band> = order.iter().map(band).collect();
    if !rest.is_empty() {
        bands.push(Band {
            text: String::new(),
            groups: rest.len(),
        });
    }
    let mut band_of = vec![order.len(); texts.len()];
    for (band, &group) in order.iter().enumerate() {
        band_of[group] = band;
    }
    // Groups that never need a byte have no changes that count.
    changes.retain(|&(_, bytes, _)| bytes != 0);
    for change in &mut changes {
        change.2 = band_of[change.2];
    }
    let columns = columns(&changes, edges, bands.len());
    Area { bands, columns }
}

/// The texts of the groups in their order, and how their bytes change, by index into the texts.
fn changes<'f>(
    facts: &'f Facts,
    lifetimes: &Lifetimes,
    field: Field,
) -> (Vec<&'f str>, Vec<Change>) {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    let mut changes = Vec::with_capacity(2 * lifetimes.buffers.len());
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        let next = groups.len();
        let group = *groups.entry(facts.first(field, index)).or_insert(next);
        for need in buffer.needs() {
            let bytes = i64::try_from(need.bytes().0).unwrap_or(i64::MAX);
            changes.push((need.span.start, bytes, group));
            changes.push((need.span.end, -bytes, group));
        }
    }
    // By text from here on: groups were counted as they came.
    let mut place = vec![0; groups.len()];
    for (text, &group) in groups.values().enumerate() {
        place[group] = text;
    }
    for change in &mut changes {
        change.2 = place[change.2];
    }
    (groups.into_keys().collect(), changes)
}

/// The most that each group needs at any step.
fn peaks(changes: &[Change], groups: usize) -> Vec<i128> {
    let (mut now, mut peaks) = (vec![0_i128; groups], vec![0; groups]);
    for together in changes.chunk_by(|a, b| a.0 == b.0) {
        for &(_, bytes, group) in together {
            now[group] += i128::from(bytes);
        }
        for &(_, _, group) in together {
            peaks[group] = now[group].max(peaks[group]);
        }
    }
    peaks
}

/// The columns between `edges`.
fn columns(changes: &[Change], edges: &[Step], bands: usize) -> Vec<Column> {
    let empty = |edges: &[Step]| Column {
        span: Span {
            start: edges[0],
            end: edges[1],
        },
        step: edges[0],
        bytes: vec![Bytes::ZERO; bands],
        total: Bytes::ZERO,
    };
    let mut columns: Vec<Column> = edges.windows(2).map(empty).collect();
    let mut now = vec![0_i128; bands];
    let mut first = 0;
    let mut together = changes.chunk_by(|a, b| a.0 == b.0).peekable();
    while let Some(changed) = together.next() {
        let start = changed[0].0;
        for &(_, bytes, band) in changed {
            now[band] += i128::from(bytes);
        }
        // So it stays until the next change.
        let end = together.peek().map_or(start, |next| next[0].0);
        let total = bytes(now.iter().sum());
        let before = columns[first..].partition_point(|column| column.span.end <= start);
        first += before;
        for column in &mut columns[first..] {
            if column.span.start >= end {
                break;
            }
            if total > column.total {
                column.step = start.max(column.span.start);
                column.total = total;
                column.bytes.clear();
                column.bytes.extend(now.iter().map(|&it| bytes(it)));
            }
        }
    }
    columns
}

fn bytes(sum: i128) -> Bytes {
    Bytes(u64::try_from(sum.max(0)).unwrap_or(u64::MAX))
}
