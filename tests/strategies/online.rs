//! TensorFlow's and PyTorch's allocators, replayed.

use planner::trace::{Note, Reason, Refusal};
use planner::{Bytes, Lifetimes, Offset, Options, Plan, PlanError, Silent, Strategy, plan};
use tests::judged::{judged, offsets, reasons, traced};
use tests::lifetimes::{layered, problem, scattered, skips};

const OPTIONS: Options = Options::aligned(Bytes(1));
const MIB: u64 = 1 << 20;

const BFC: Strategy = Strategy::TensorflowBfc;
const CACHING: Strategy = Strategy::PytorchCaching;

fn planned(strategy: Strategy, lifetimes: &Lifetimes) -> Plan {
    judged(strategy, lifetimes, &OPTIONS)
}

/// In units of 256 bytes, by hand: b0 has units 0 to 3 and b1 4 and 5. At step 2 b0 is gone.
/// b2 asks for one of its four units: at least twice as many, so it is split. b3 asks for two
/// of the remaining three: not twice as many, so it gets all three. b4 finds nothing free.
/// b5 at step 4 finds all but unit 6 free: units 0 to 5 are one chunk again, and it is twice
/// as large.
#[test]
fn bfc_splits_only_what_is_twice_as_large() {
    let lifetimes = problem(&[
        (1000, 0, 2),
        (512, 0, 3),
        (1, 2, 4),
        (500, 2, 4),
        (256, 2, 6),
        (700, 4, 6),
    ]);
    let made = planned(BFC, &lifetimes);
    assert_eq!(offsets(&made), [0, 1024, 0, 256, 1536, 0]);
    assert_eq!(made.arena, Bytes(1792));
    assert_eq!(made.reserved, None);
}

/// A chunk of 400 MiB below one in use is not twice as large as 272 MiB, but 128 MiB larger:
/// it is split, and the rest holds 128 MiB. One byte more of the 272 MiB, and it gets all.
#[test]
fn bfc_wastes_less_than_128_mib() {
    for (more, next) in [(0, 272 * MIB), (1, 400 * MIB + 256)] {
        let sizes = [
            (400 * MIB, 0, 1),
            (256, 0, 2),
            (272 * MIB + more, 1, 2),
            (128 * MIB, 1, 2),
        ];
        let made = planned(BFC, &problem(&sizes));
        assert_eq!(offsets(&made), [0, 400 * MIB, 0, next]);
    }
}

/// What is free at the end belongs to what has never been given out: b2 lies over b1's place
/// although it is larger, where 10 MiB after it would be needed otherwise.
#[test]
fn bfc_has_one_region() {
    let lifetimes = problem(&[(10 * MIB, 0, 9), (10 * MIB, 0, 1), (30 * MIB, 1, 2)]);
    let made = planned(BFC, &lifetimes);
    assert_eq!(offsets(&made), [0, 10 * MIB, 10 * MIB]);
    assert_eq!(made.arena, Bytes(40 * MIB));
}

/// Sizes and segments, by hand: 1 byte and 600 bytes take 512 and 1024 of a small segment,
/// and 1 MiB is still small. One byte more is large: 20 MiB are taken, of which 1 MiB + 512
/// bytes go to it; 10 MiB fit into the rest. The next 10 MiB do not, and have a segment of
/// their own size; one byte more is rounded up to 12 MiB.
#[test]
fn pytorch_takes_segments() {
    let all = |size| (size, 0, 1);
    let sizes = [1, 600, MIB, MIB + 1, 10 * MIB, 10 * MIB, 10 * MIB + 1];
    let made = planned(CACHING, &problem(&sizes.map(all)));
    let large = 2 * MIB;
    let expected = [0, 512, 1536, large, large + MIB + 512, 22 * MIB, 32 * MIB];
    assert_eq!(offsets(&made), expected);
    assert_eq!(made.arena, Bytes(42 * MIB + 1));
    assert_eq!(made.reserved, Some(Bytes(44 * MIB)));
}

/// A freed block of 12 MiB: 11 MiB and a byte leave less than 1 MiB, so they get all of it,
/// and what comes next needs a segment; 512 bytes less than 11 MiB leave more than 1 MiB,
/// which is exactly what comes next.
#[test]
fn pytorch_splits_large_blocks_above_one_mib() {
    for (size, next, reserved) in [
        (11 * MIB + 1, 12 * MIB, 32 * MIB),
        (11 * MIB - 512, 11 * MIB - 512, 12 * MIB),
    ] {
        let sizes = [(12 * MIB, 0, 1), (size, 1, 2), (MIB + 512, 1, 2)];
        let made = planned(CACHING, &problem(&sizes));
        assert_eq!(offsets(&made), [0, 0, next]);
        assert_eq!(made.reserved, Some(Bytes(reserved)));
    }
}

/// Two freed neighbours of 10 MiB in segments of their own stay two; TensorFlow's are one.
#[test]
fn segments_do_not_merge() {
    let lifetimes = problem(&[(10 * MIB, 0, 1), (10 * MIB, 0, 1), (20 * MIB, 1, 2)]);
    let caching = planned(CACHING, &lifetimes);
    assert_eq!(offsets(&caching), [0, 10 * MIB, 20 * MIB]);
    assert_eq!(caching.reserved, Some(Bytes(40 * MIB)));
    let bfc = planned(BFC, &lifetimes);
    assert_eq!(offsets(&bfc), [0, 10 * MIB, 0]);
    assert_eq!(bfc.arena, Bytes(20 * MIB));
}

/// Within a step everything is requested before anything is released: an operator's input
/// and output are never at one place.
#[test]
fn requests_come_before_releases() {
    let lifetimes = problem(&[(512, 0, 2), (512, 1, 3), (512, 2, 4)]);
    for strategy in [BFC, CACHING] {
        assert_eq!(offsets(&planned(strategy, &lifetimes)), [0, 512, 0]);
    }
}

/// Blocks start at multiples of the larger alignment, which then is their unit.
#[test]
fn alignments_are_honoured() {
    let mut lifetimes = problem(&[(1, 0, 2), (1, 0, 2), (1, 1, 3)]);
    lifetimes.buffers[2].alignment = Bytes(4096);
    for strategy in [BFC, CACHING] {
        let made = planned(strategy, &lifetimes);
        assert_eq!(offsets(&made), [0, 4096, 8192], "{strategy}");
    }
    lifetimes.buffers[0].fixed = Some(Offset(64));
    for strategy in [BFC, CACHING] {
        let refused = plan(strategy, &lifetimes, &OPTIONS, &mut Silent);
        let Err(PlanError::Unsupported { what }) = refused else {
            panic!("{strategy}: {refused:?}");
        };
        assert!(
            what.to_string().contains("fixed address of \"b0\""),
            "{what}"
        );
    }
}

/// b0, b2, b4 and b6 of 2, 4, 4 and 6 KiB are freed and 3 KiB requested: the first 4 KiB.
#[test]
fn every_other_block_is_refused_for_a_reason() {
    let mut sizes: Vec<(u64, u64, u64)> = [2, 1, 4, 1, 4, 1, 6, 1]
        .iter()
        .enumerate()
        .map(|(index, &kib)| (kib << 10, 0, if index % 2 == 0 { 1 } else { 9 }))
        .collect();
    sizes.push((3 << 10, 1, 2));
    let lifetimes = problem(&sizes);
    let refused = |strategy| {
        let (made, trace) = traced(strategy, &lifetimes, &OPTIONS);
        assert_eq!(made.offsets[8], Offset(3 << 10), "{strategy}");
        let why = |reason: &Reason| match *reason {
            Reason::FreeRange { from, size, why } => {
                Some((from.0 >> 10, size.map_or(0, |size| size.0 >> 10), why))
            }
            Reason::Object { .. } | Reason::Note(_) => None,
        };
        let refused: Vec<_> = reasons(&trace, 8).iter().filter_map(why).collect();
        refused
    };
    let mut expected = vec![
        (0, 2, Refusal::TooSmall),
        (8, 4, Refusal::NotFirst),
        (13, 6, Refusal::LooserFit),
    ];
    let mut pytorch = expected.clone();
    pytorch.push((20, 2048 - 20, Refusal::LooserFit));
    assert_eq!(refused(CACHING), pytorch);
    expected.push((20, 0, Refusal::LooserFit));
    assert_eq!(refused(BFC), expected);
}

/// A free block of the other pool would do, but is never looked at; segments are reported.
#[test]
fn the_other_pool_is_overlooked() {
    let lifetimes = problem(&[(5 * MIB, 0, 1), (MIB, 1, 2)]);
    let (made, trace) = traced(CACHING, &lifetimes, &OPTIONS);
    assert_eq!(offsets(&made), [0, 20 * MIB]);
    let opened = |range, from, size| {
        Reason::Note(Note::Opened {
            range,
            from: Offset(from),
            size: Bytes(size),
        })
    };
    let overlooked = Reason::FreeRange {
        from: Offset(0),
        size: Some(Bytes(20 * MIB)),
        why: Refusal::OtherPool,
    };
    assert_eq!(reasons(&trace, 0), [opened(0, 0, 20 * MIB)]);
    let second = opened(1, 20 * MIB, 2 * MIB);
    assert_eq!(reasons(&trace, 1), [overlooked, second]);
}

/// One block of the reference's list: first byte, bytes, segment, and whether it is in use.
type Listed = (u64, u64, usize, bool);

/// Both allocators as lists of blocks in order of address that are walked from end to end.
struct Reference {
    strategy: Strategy,
    blocks: Vec<Listed>,
    /// Pool and bytes of each segment.
    segments: Vec<(usize, u64)>,
}

impl Reference {
    fn new(strategy: Strategy) -> Self {
        let device = match strategy {
            BFC => vec![(0, 1 << 50, 0, false)],
            _ => Vec::new(),
        };
        Self {
            strategy,
            segments: device.iter().map(|&(_, size, _, _)| (0, size)).collect(),
            blocks: device,
        }
    }

    fn allocate(&mut self, size: u64) -> u64 {
        let (size, pool) = match self.strategy {
            BFC => (size.div_ceil(256) * 256, 0),
            _ if size <= MIB => (size.div_ceil(512) * 512, 0),
            _ => (size.div_ceil(512) * 512, 1),
        };
        // The bins are walked from the first that may hold it; each by size, then address.
        let bin = |size: u64| (size.max(256) >> 8).ilog2().min(20);
        let mut best: Option<usize> = None;
        for (at, &(start, bytes, segment, used)) in self.blocks.iter().enumerate() {
            if used || bytes < size || self.segments[segment].0 != pool {
                continue;
            }
            let key = (bin(bytes), bytes, start);
            let better = |best: usize| {
                let (start, bytes, _, _) = self.blocks[best];
                key < (bin(bytes), bytes, start)
            };
            if best.is_none_or(better) {
                best = Some(at);
            }
        }
        let at = best.unwrap_or_else(|| {
            let bytes = match (pool, size) {
                (0, _) => 2 * MIB,
                (_, size) if size < 10 * MIB => 20 * MIB,
                (_, size) => size.div_ceil(2 * MIB) * 2 * MIB,
            };
            let start = self.segments.iter().map(|segment| segment.1).sum();
            self.blocks.push((start, bytes, self.segments.len(), false));
            self.segments.push((pool, bytes));
            self.blocks.len() - 1
        });
        let (start, bytes, segment, _) = self.blocks[at];
        let split = match (self.strategy, pool) {
            (BFC, _) => bytes >= 2 * size || bytes - size >= 128 * MIB,
            (_, 0) => bytes - size >= 512,
            _ => bytes - size > MIB,
        };
        self.blocks[at].3 = true;
        if split {
            self.blocks[at].1 = size;
            let rest = (start + size, bytes - size, segment, false);
            self.blocks.insert(at + 1, rest);
        }
        start
    }

    fn release(&mut self, start: u64) {
        let at = self.blocks.iter().position(|block| block.0 == start);
        let at = at.expect("it was given out");
        self.blocks[at].3 = false;
        for low in [at, at.wrapping_sub(1)] {
            let pair = (self.blocks.get(low), self.blocks.get(low.wrapping_add(1)));
            if let (Some(&(_, _, one, false)), Some(&(_, more, other, false))) = pair
                && one == other
            {
                self.blocks[low].1 += more;
                self.blocks.remove(low + 1);
            }
        }
    }
}

#[test]
fn offsets_are_those_of_lists_walked_from_end_to_end() {
    for seed in 0..10 {
        for lifetimes in [
            scattered(seed, 150, 60, 3000),
            scattered(seed, 200, 60, 3 * MIB),
            scattered(seed, 100, 40, 700 * MIB),
            skips(seed, 150, 3, 20, 30 * MIB),
            layered(seed, 8, 4, 4 * MIB),
        ] {
            for strategy in [BFC, CACHING] {
                let made = planned(strategy, &lifetimes);
                let mut reference = Reference::new(strategy);
                let mut found = vec![0; lifetimes.buffers.len()];
                for step in 0..lifetimes.horizon.0 {
                    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
                        if buffer.span.start.0 == step {
                            found[index] = reference.allocate(buffer.size.0);
                        }
                    }
                    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
                        if buffer.span.end.0 == step + 1 {
                            reference.release(found[index]);
                        }
                    }
                }
                assert_eq!(offsets(&made), found, "{strategy}");
                if strategy == CACHING {
                    let reserved = reference.segments.iter().map(|segment| segment.1).sum();
                    assert_eq!(made.reserved, Some(Bytes(reserved)));
                    assert!(made.arena.0 <= reserved);
                }
            }
        }
    }
}
