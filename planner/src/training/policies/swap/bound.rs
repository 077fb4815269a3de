//! What any run takes at least beside running every node once, by what must be away at one moment.
//!
//! When a node starts, what it needs is there. Of the values that were computed before and are
//! read after, those for which there is no room then must come later: computed again, each at no
//! less than its own cost, or copied back, one after another, from then on. With time x more than
//! the nodes to come take, no more bytes can have come than by the best of both together.

use std::cmp::Ordering;

use crate::sorting::Sorting;
use crate::training::{Link, Problem};
use crate::units::Bytes;

/// For each node, and last for the end, what is still to be added where it has not run yet: the
/// most of it and all after it.
pub(in crate::training::policies) fn extra(problem: &Problem, budget: Bytes) -> Vec<u64> {
    let count = problem.nodes.len();
    let readers = problem.readers();
    let mut to_come = vec![0_u64; count + 1];
    for node in (0..count).rev() {
        to_come[node] = to_come[node + 1].saturating_add(problem.nodes[node].cost);
    }
    let mut extra = vec![0; count + 1];
    for node in (0..count).rev() {
        let own = Moment::new(problem, &readers, (node, &to_come));
        let room = budget.0.saturating_sub(problem.working_set(node).0);
        extra[node] = own.least(room).max(extra[node + 1]);
    }
    extra
}

/// What may be away when a node starts.
struct Moment {
    /// Bytes and cost of each value, the most bytes for its cost first; and those that can be
    /// fetched with the time of that.
    again: Vec<(u64, u64)>,
    fetched: Vec<(u64, u64)>,
    /// Copies back may take so much longer than what is added.
    slack: u64,
}

impl Moment {
    fn new(problem: &Problem, readers: &[Vec<usize>], (node, to_come): (usize, &[u64])) -> Self {
        let link = problem.link.unwrap_or(Link::NONE);
        let reads = &problem.nodes[node].reads;
        let mut moment = Self {
            again: Vec::new(),
            fetched: Vec::new(),
            slack: 0,
        };
        // What runs at least when the last copy has arrived.
        let mut tail = u64::MAX;
        for value in (0..node).filter(|value| reads.binary_search(value).is_err()) {
            let Some(&next) = readers[value].iter().find(|reader| **reader > node) else {
                continue;
            };
            let own = &problem.nodes[value];
            moment.again.push((own.bytes.0, own.cost));
            if let Some((_, back)) = link.times(own.bytes) {
                moment.fetched.push((own.bytes.0, back));
                tail = tail.min(to_come[next]);
            }
        }
        moment.slack = to_come[node].saturating_sub(tail);
        moment.again.order_by(by_density);
        moment.fetched.order_by(by_density);
        moment
    }

    /// The least that is added where no more than `room` bytes of these can be there.
    fn least(&self, room: u64) -> u64 {
        let all: u128 = self.again.iter().map(|it| u128::from(it.0)).sum();
        let Some(over) = all.checked_sub(u128::from(room)).filter(|over| *over > 0) else {
            return 0;
        };
        let come = |added: u64| {
            let copied = match self.fetched.is_empty() {
                true => 0,
                false => most(&self.fetched, added.saturating_add(self.slack)),
            };
            most(&self.again, added).saturating_add(copied)
        };
        let costs = self.again.iter().map(|it| it.1);
        let (mut below, mut enough) = (0, costs.fold(0, u64::saturating_add));
        if come(0) >= over {
            return 0;
        }
        while enough - below > 1 {
            let middle = below.midpoint(enough);
            match come(middle) >= over {
                true => enough = middle,
                false => below = middle,
            }
        }
        enough
    }
}

/// The most bytes that can come in so much time, the last of them in part.
fn most(items: &[(u64, u64)], time: u64) -> u128 {
    let mut left = time;
    let mut sum = 0_u128;
    for &(bytes, takes) in items {
        match left.checked_sub(takes) {
            Some(after) => {
                left = after;
                sum += u128::from(bytes);
            }
            None => {
                let part = u128::from(bytes) * u128::from(left);
                return sum + part.div_ceil(u128::from(takes));
            }
        }
    }
    sum
}

/// The most bytes for its time first.
fn by_density(one: &(u64, u64), other: &(u64, u64)) -> Ordering {
    let product = |bytes: u64, time: u64| u128::from(bytes) * u128::from(time);
    product(other.0, one.1).cmp(&product(one.0, other.1))
}
