//! Boxes of high scores without those that overlap one that is taken.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use planner::graph::{Elements, Value};
use planner::{Message, message};

use super::{Found, index, ints, narrow};

/// The most pairs of boxes that one operator compares: some seconds of the CPU.
const MOST_PAIRS: u64 = 1 << 28;

/// The longest list that is filled: a run may ask for any length, and the list is made before it
/// is compared with what was planned.
pub(super) const MOST_BOXES: usize = 1 << 24;

/// What is asked of a suppression of ONNX.
pub(super) struct Wish {
    /// Boxes of each class of each batch.
    pub(super) most: usize,
    /// Overlap beyond which a box is suppressed: intersection over union.
    pub(super) overlap: f32,
    /// What a score has to be above.
    pub(super) score: Option<f32>,
    /// Whether boxes are given by their centre, width and height, not by two corners.
    pub(super) centred: bool,
}

/// What is asked of a suppression of LiteRT.
pub(super) struct Selection {
    /// Boxes that there is room for.
    pub(super) most: usize,
    /// Overlap from which on a box is suppressed: intersection over union.
    pub(super) overlap: f32,
    /// What a score has to be above.
    pub(super) score: f32,
    /// How far an overlap lowers a score; 0 for not at all.
    pub(super) sigma: f32,
}

/// The pairs of boxes that may still be compared.
struct Work(u64);

impl Work {
    fn pair(&mut self) -> Result<(), Message> {
        let left = self.0.checked_sub(1);
        self.0 = left.ok_or_else(|| {
            message!(
                "it compares more than {} pairs of boxes: ask for fewer boxes, or for \
                 higher scores",
                MOST_PAIRS
            )
        })?;
        Ok(())
    }
}

/// Of each class of each batch the boxes of the highest scores, equal ones in their order, without
/// those that overlap one that is taken: rows of batch, class and box.
pub(super) fn of_classes(boxes: &Value, scores: &Value, wish: &Wish) -> Result<Found, Message> {
    let (&[batches, count, 4], &[also, classes, each]) = (&*boxes.dims, &*scores.dims) else {
        return Err(message!("its boxes and scores have no such dimensions"));
    };
    if (batches, count) != (also, each) {
        return Err(message!("its boxes and scores do not fit"));
    }
    let all: Vec<[f32; 4]> = corners(boxes, wish.centred);
    let scores: Vec<f32> = scores.to_floats().into_iter().map(narrow).collect();
    let len = usize::try_from(count).map_err(|_error| message!("it has too many boxes"))?;
    let classes = usize::try_from(classes).map_err(|_error| message!("it has too many classes"))?;
    let mut work = Work(MOST_PAIRS);
    let mut rows = Vec::new();
    for (row, scores) in scores.chunks(len.max(1)).enumerate() {
        let (batch, class) = (row / classes.max(1), row % classes.max(1));
        let boxes = &all[batch * len..][..len];
        let above = |at: &usize| wish.score.is_none_or(|least| scores[*at] > least);
        let mut order: Vec<usize> = (0..scores.len()).filter(above).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        let mut taken: Vec<usize> = Vec::new();
        for at in order {
            if taken.len() >= wish.most {
                break;
            }
            let mut is_hidden = false;
            for &other in &taken {
                work.pair()?;
                is_hidden = overlap(boxes[other], boxes[at]) > wish.overlap;
                if is_hidden {
                    break;
                }
            }
            if !is_hidden {
                taken.push(at);
                rows.extend([batch, class, at].map(index));
            }
        }
    }
    let count = rows.len() as u64 / 3;
    Ok(Found {
        count,
        outputs: vec![ints(vec![count, 3], rows)],
        ..Found::default()
    })
}

/// A box that may be selected.
struct Candidate {
    at: usize,
    score: f32,
    /// How many of those that are selected it has been compared with.
    compared: usize,
}

impl Ord for Candidate {
    /// By score; of equal ones the first is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// As LiteRT selects (`reference/non_max_suppression.h`): lists as long as there is room, filled
/// up with zeros, of boxes and, where they are wanted, of their scores, and how many are
/// selected. Scores are lowered by what their boxes overlap, as Soft-NMS does (Bodla et al. 2017,
/// arXiv:1704.04503). Of equal scores the first box is taken; LiteRT says nothing of them.
pub(super) fn of_boxes(
    boxes: &Value,
    scores: &Value,
    wish: &Selection,
    with_scores: bool,
) -> Result<Found, Message> {
    let (&[count, 4], &[also]) = (&*boxes.dims, &*scores.dims) else {
        return Err(message!("its boxes and scores have no such dimensions"));
    };
    if count != also {
        return Err(message!("its boxes and scores do not fit"));
    }
    let boxes = corners(boxes, false);
    let scores = scores.to_floats().into_iter().map(narrow).enumerate();
    let open = scores.filter(|(_, score)| *score > wish.score);
    let mut open: BinaryHeap<Candidate> = open
        .map(|(at, score)| Candidate {
            at,
            score,
            compared: 0,
        })
        .collect();
    let room = open.len().min(wish.most);
    let mut work = Work(MOST_PAIRS);
    let mut selected: Vec<Candidate> = Vec::new();
    while selected.len() < room
        && let Some(mut next) = open.pop()
    {
        let before = next.score;
        let mut is_hidden = false;
        for other in selected[next.compared..].iter().rev() {
            work.pair()?;
            let shared = overlap(boxes[next.at], boxes[other.at]);
            is_hidden = shared >= wish.overlap;
            if is_hidden {
                break;
            }
            if wish.sigma > 0.0 {
                next.score *= (-0.5 / wish.sigma * shared * shared).exp();
            }
            if next.score <= wish.score {
                break;
            }
        }
        if is_hidden {
            continue;
        }
        next.compared = selected.len();
        if next.score.total_cmp(&before).is_eq() {
            selected.push(next);
        } else if next.score > wish.score {
            open.push(next);
        }
    }
    Ok(filled(&selected, wish.most, with_scores))
}

/// Lists of this length of what is selected.
fn filled(selected: &[Candidate], len: usize, with_scores: bool) -> Found {
    let mut places: Vec<i64> = selected.iter().map(|it| index(it.at)).collect();
    places.resize(len, 0);
    let (count, meant) = (len as u64, selected.len());
    let mut outputs = vec![ints(vec![count], places)];
    if with_scores {
        let mut scores: Vec<f64> = selected.iter().map(|it| it.score.into()).collect();
        scores.resize(len, 0.0);
        outputs.push(Value {
            dims: vec![count],
            elements: Elements::Floats(scores),
        });
    }
    outputs.push(ints(Vec::new(), vec![index(meant)]));
    Found {
        count,
        meant: Some(meant as u64),
        outputs,
    }
}

/// The smaller and the larger corner of each box.
fn corners(boxes: &Value, centred: bool) -> Vec<[f32; 4]> {
    let numbers = boxes.to_floats().into_iter().map(narrow);
    let numbers: Vec<f32> = numbers.collect();
    let all = numbers.as_chunks().0.iter();
    all.map(|&[a, b, c, d]: &[f32; 4]| match centred {
        // The centre across and down, width and height.
        true => [b - d / 2.0, a - c / 2.0, b + d / 2.0, a + c / 2.0],
        false => [a.min(c), b.min(d), a.max(c), b.max(d)],
    })
    .collect()
}

/// Intersection over union; 0 for boxes without an area.
fn overlap(a: [f32; 4], b: [f32; 4]) -> f32 {
    let area = |it: [f32; 4]| (it[2] - it[0]) * (it[3] - it[1]);
    let high = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0);
    let wide = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0);
    let both = high * wide;
    // Most boxes lie apart.
    if both <= 0.0 {
        return 0.0;
    }
    let union = area(a) + area(b) - both;
    if union > 0.0 { both / union } else { 0.0 }
}
