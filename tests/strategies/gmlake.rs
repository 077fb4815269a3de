//! GMLake's stitching: chunks against a list of chunks that is walked from end to end, and rules
//! by hand. Sizes in units of 2 MiB, which are its chunks.

use std::collections::{BTreeMap, BTreeSet};

use planner::internals::probe::{Deed, Held, held};
use planner::{Bytes, Options, Strategy};
use tests::judged::{judged, offsets};
use tests::lifetimes::{problem, scattered, skips};
use tests::random::Random;

const CHUNK: u64 = 2 << 20;
const OPTIONS: Options = Options::aligned(Bytes(1));

fn ask(chunks: u64) -> Deed {
    Deed::Ask(chunks * CHUNK)
}

fn reserved(least: Option<u64>, deeds: &[Deed]) -> Vec<u64> {
    let after = held(least.map(|it| it * CHUNK), deeds);
    after.iter().map(|it| it.reserved / CHUNK).collect()
}

/// Of 5 and 6 chunks that are free, 11 are stitched, so that nothing is reserved for them; then
/// 11 more are in use than there are, and 8 are taken from the device. Of fewer chunks than the
/// limit nothing is stitched.
#[test]
fn free_blocks_are_stitched_from_the_limit_on() {
    use Deed::GiveBack;
    let deeds = [ask(5), ask(6), GiveBack(0), GiveBack(1), ask(11), ask(8)];
    assert_eq!(reserved(Some(11), &deeds), [5, 11, 11, 11, 11, 19]);
    assert_eq!(reserved(Some(12), &deeds), [5, 11, 11, 11, 22, 30]);
    assert_eq!(reserved(None, &deeds), [5, 11, 11, 11, 22, 30]);
}

/// The largest first, the last as far as needed: 10 chunks of blocks of 5, 7 and 8 are the 8 and two
/// of the 7, so that 5 of the 7 are left, and the 5.
#[test]
fn as_few_blocks_as_are_enough_the_largest_first() {
    use Deed::GiveBack;
    let deeds = [
        ask(5),
        ask(7),
        ask(8),
        GiveBack(0),
        GiveBack(1),
        GiveBack(2),
        ask(10),
    ];
    let after = held(Some(10 * CHUNK), &deeds);
    let last = after.last().expect("deeds");
    let parts: Vec<u64> = last.live[0].2.iter().map(|it| it.1 / CHUNK).collect();
    assert_eq!(parts, [8, 2]);
    let free: Vec<u64> = last.free.iter().map(|it| it.1 / CHUNK).collect();
    assert_eq!(free, [5, 5]);
}

/// A range of 20 chunks over two blocks of 10 stays. Below the limit, 12 chunks that no block holds
/// take its first ones. A range of 120 serves 12 chunks, a tenth, but not 11.
#[test]
fn a_range_is_used_again_for_a_tenth_of_its_size_or_more() {
    use Deed::GiveBack;
    let base = [
        ask(10),
        ask(10),
        GiveBack(0),
        GiveBack(1),
        ask(20),
        GiveBack(2),
    ];
    let mut deeds = base.to_vec();
    deeds.push(ask(12));
    assert_eq!(reserved(Some(20), &deeds).last(), Some(&20));
    // Emptying the cache forgets it, and both segments go back.
    let mut emptied = base.to_vec();
    emptied.extend([Deed::Empty, ask(12)]);
    assert_eq!(reserved(Some(20), &emptied)[6..], [0, 12]);
    // 12 blocks of 10 chunks, 120 stitched: 11 chunks are less than a tenth of them.
    let mut deeds: Vec<Deed> = (0..12).map(|_| ask(10)).collect();
    deeds.extend((0..12).map(GiveBack));
    deeds.extend([ask(120), GiveBack(12), ask(11)]);
    assert_eq!(reserved(Some(120), &deeds).last(), Some(&131));
    *deeds.last_mut().expect("deeds") = ask(12);
    assert_eq!(reserved(Some(120), &deeds).last(), Some(&120));
}

/// The reference: every chunk by itself, its segment, and the request that holds it.
#[derive(Default)]
struct Chunks {
    /// Segment and holder of each chunk.
    list: Vec<(usize, Option<usize>)>,
    segments: usize,
    /// Ranges that stay: their chunks, and whether their own request is there.
    ranges: Vec<(Vec<usize>, bool)>,
    /// By request: its chunks, and the range that they begin.
    live: BTreeMap<usize, (Vec<usize>, Option<usize>)>,
    asked: usize,
}

impl Chunks {
    /// Free chunks that follow each other in one segment, from the first on.
    fn runs(&self) -> Vec<Vec<usize>> {
        let mut runs: Vec<Vec<usize>> = Vec::new();
        for (at, chunk) in self.list.iter().enumerate() {
            let (segment, None) = *chunk else { continue };
            let before = at.checked_sub(1).map(|at| self.list[at]);
            match runs.last_mut() {
                Some(run) if before == Some((segment, None)) => run.push(at),
                _ => runs.push(vec![at]),
            }
        }
        runs
    }

    fn free(&self, chunk: usize) -> bool {
        self.list[chunk].1.is_none()
    }

    fn ask(&mut self, count: usize, least: usize) {
        let number = self.asked;
        self.asked += 1;
        let mut runs = self.runs();
        runs.sort_by_key(|run| (run.len(), run[0]));
        let fits = runs.iter().find(|run| run.len() >= count).cloned();
        let ranges = self.ranges.iter().enumerate();
        let idle = ranges.filter(|(_, (chunks, own))| {
            !own && chunks.iter().all(|&it| self.free(it)) && chunks.len() >= count
        });
        // The smallest, of equal ones the oldest.
        let idle = idle.min_by_key(|(index, (chunks, _))| (chunks.len(), *index));
        let idle = idle.filter(|(_, (chunks, _))| chunks.len() <= 10 * count);
        let idle = idle.map(|(index, (chunks, _))| (index, chunks.clone()));
        let all: usize = runs.iter().map(Vec::len).sum();
        let (chunks, range) = if let Some(run) = fits {
            (run[..count].to_vec(), None)
        } else if let Some((index, chunks)) = idle {
            self.ranges[index].1 = true;
            (chunks[..count].to_vec(), Some(index))
        } else if count >= least && runs.len() > 1 && all >= count {
            let mut chunks: Vec<usize> = Vec::new();
            for run in runs.iter().rev() {
                let left = count - chunks.len();
                chunks.extend(&run[..left.min(run.len())]);
            }
            self.ranges.push((chunks.clone(), true));
            (chunks, Some(self.ranges.len() - 1))
        } else {
            let first = self.list.len();
            // Below 10 MiB a segment has 20.
            let size = if count < 5 { 10 } else { count };
            self.list.extend(vec![(self.segments, None); size]);
            self.segments += 1;
            ((first..first + count).collect(), None)
        };
        for &chunk in &chunks {
            let before = self.list[chunk].1.replace(number);
            assert_eq!(before, None, "a chunk serves one request");
        }
        self.live.insert(number, (chunks, range));
    }

    fn give_back(&mut self, number: usize) {
        let (chunks, range) = self.live.remove(&number).expect("it is live");
        for chunk in chunks {
            self.list[chunk].1 = None;
        }
        if let Some(range) = range {
            self.ranges[range].1 = false;
        }
    }

    fn reserved(&self) -> u64 {
        self.list.len() as u64
    }
}

/// Requests of some chunks and releases in any order.
fn arbitrary(random: &mut Random, count: usize, most: u64, emptied: bool) -> Vec<Deed> {
    let crowd = 2 + random.below(12);
    let (mut deeds, mut live, mut asked) = (Vec::new(), Vec::new(), 0);
    while deeds.len() < count {
        if emptied && random.below(40) == 0 {
            deeds.push(Deed::Empty);
        }
        if !live.is_empty() && random.below(crowd) < live.len() as u64 {
            let one = random.index(live.len());
            deeds.push(Deed::GiveBack(live.swap_remove(one)));
        } else {
            let largest = 1 + random.below(most);
            let chunks = 1 + random.below(largest);
            deeds.push(ask(chunks));
            live.push(asked);
            asked += 1;
        }
    }
    deeds
}

/// What is in use and what is free are all that is reserved, and no chunk serves two.
fn is_whole(now: &Held) {
    let stretches = now.live.iter().flat_map(|it| &it.2).chain(&now.free);
    let mut stretches: Vec<_> = stretches.copied().collect();
    stretches.sort_unstable();
    let sum: u64 = stretches.iter().map(|it| it.1).sum();
    assert_eq!(sum, now.reserved, "chunks are conserved");
    for pair in stretches.windows(2) {
        assert!(pair[0].0 + u128::from(pair[0].1) <= pair[1].0, "{pair:?}");
    }
    let addresses: BTreeSet<_> = now.live.iter().map(|it| it.1).collect();
    assert_eq!(addresses.len(), now.live.len());
}

#[test]
fn chunks_are_those_of_a_list_walked_from_end_to_end() {
    let mut random = Random::new(44);
    let (mut stitched, mut requests) = (0, 0);
    for round in 0..120 {
        let least = [3, 8, 20][round % 3];
        let deeds = arbitrary(&mut random, 160, 40, false);
        let mut reference = Chunks::default();
        let after = held(Some(least as u64 * CHUNK), &deeds);
        for (deed, now) in deeds.iter().zip(after) {
            match *deed {
                Deed::Ask(bytes) => {
                    let count = usize::try_from(bytes / CHUNK).expect("small");
                    reference.ask(count, least);
                }
                Deed::GiveBack(number) => reference.give_back(number),
                Deed::Empty => {}
            }
            is_whole(&now);
            assert_eq!(now.reserved / CHUNK, reference.reserved(), "round {round}");
            let sizes = now
                .live
                .iter()
                .map(|it| it.2.iter().map(|it| it.1 / CHUNK).sum::<u64>());
            let expected = reference.live.values().map(|it| it.0.len() as u64);
            assert!(sizes.eq(expected), "round {round}");
        }
        stitched += reference.ranges.len();
        requests += reference.asked;
    }
    assert!(stitched > 300 && requests > 5000, "{stitched} {requests}");
}

/// With a cache that is emptied now and then, over segments whose addresses are given out again.
#[test]
fn emptied_caches_lose_no_chunk() {
    let mut random = Random::new(45);
    let mut fell = 0;
    for _ in 0..120 {
        let least = 1 + random.below(20);
        let deeds = arbitrary(&mut random, 200, 40, true);
        let mut before = 0;
        for (deed, now) in deeds.iter().zip(held(Some(least * CHUNK), &deeds)) {
            is_whole(&now);
            match *deed {
                Deed::Ask(_) => assert!(now.reserved >= before),
                Deed::GiveBack(_) => assert_eq!(now.reserved, before),
                Deed::Empty => {
                    fell += u32::from(now.reserved < before);
                    assert!(now.reserved <= before);
                }
            }
            before = now.reserved;
        }
    }
    assert!(fell > 100, "{fell}");
}

/// Where nothing reaches the limit it is the caching allocator, request by request, once
/// requests are whole chunks.
#[test]
fn below_the_limit_it_is_the_caching_allocator() {
    let mut random = Random::new(46);
    for _ in 0..60 {
        let deeds = arbitrary(&mut random, 200, 40, true);
        assert_eq!(held(Some(41 * CHUNK), &deeds), held(None, &deeds));
    }
}

/// Two blocks of 256 MiB are free when 512 MiB are asked for: they are stitched under addresses of
/// their own, and no more is reserved.
#[test]
fn a_plan_has_virtual_addresses() {
    let quarter = 256 << 20;
    let lifetimes = problem(&[(quarter, 0, 1), (quarter, 0, 1), (2 * quarter, 1, 2)]);
    let made = judged(Strategy::Gmlake, &lifetimes, &OPTIONS);
    assert_eq!(offsets(&made), [0, quarter, 2 * quarter]);
    assert_eq!(made.arena, Bytes(4 * quarter));
    assert_eq!(made.reserved, Some(Bytes(2 * quarter)));
    let caching = judged(Strategy::PytorchCaching, &lifetimes, &OPTIONS);
    assert_eq!(caching.reserved, Some(Bytes(4 * quarter)));
}

/// Whatever is asked for, with alignments that divide chunks and others that do not.
#[test]
fn plans_are_valid() {
    for seed in 0..8 {
        for mut lifetimes in [
            scattered(seed, 150, 60, 3 << 20),
            scattered(seed, 100, 40, 1500 << 20),
            skips(seed, 150, 3, 20, 600 << 20),
        ] {
            let made = judged(Strategy::Gmlake, &lifetimes, &OPTIONS);
            assert!(made.reserved.is_some());
            for (buffer, alignment) in lifetimes.buffers.iter_mut().zip([4096, 1, 768, 8 << 20]) {
                buffer.alignment = Bytes(alignment);
            }
            let made = judged(Strategy::Gmlake, &lifetimes, &Options::aligned(Bytes(64)));
            assert!(made.reserved.is_some());
        }
    }
}

/// Stitching may cost in the end. Two blocks of 128 chunks are free when 256 are asked for: stitched
/// here, where the caching allocator takes 256 more. Then 64 requests of 4 chunks come. There they
/// fill the two blocks, 32 each; here each segment of 20 MiB, which is 10 chunks, has room for two.
#[test]
fn what_is_stitched_is_missed_later() {
    let mut deeds = vec![
        ask(128),
        ask(128),
        Deed::GiveBack(0),
        Deed::GiveBack(1),
        ask(256),
    ];
    deeds.extend([ask(4); 64]);
    assert_eq!(reserved(None, &deeds).last(), Some(&512));
    assert_eq!(reserved(Some(256), &deeds).last(), Some(&(256 + 32 * 10)));
    // The shortest at all, with a limit of 8 chunks: a segment of 10, of which 9 are free.
    let deeds = [ask(1), ask(1), Deed::GiveBack(0), ask(9), ask(1)];
    assert_eq!(reserved(None, &deeds), [10, 10, 10, 19, 19]);
    assert_eq!(reserved(Some(8), &deeds), [10, 10, 10, 10, 20]);
}

/// It pays far more often than it costs.
#[test]
fn stitching_mostly_saves() {
    let mut random = Random::new(47);
    let (mut saves, mut costs) = (0, 0);
    for _ in 0..2000 {
        let deeds = arbitrary(&mut random, 40, 30, false);
        let most = |least| reserved(least, &deeds).into_iter().max();
        let (with, without) = (most(Some(12)), most(None));
        saves += u32::from(with < without);
        costs += u32::from(with > without);
    }
    assert!(saves > 20 * costs && saves > 200, "{saves} {costs}");
}
