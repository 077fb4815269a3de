//! Requests that failed: why, and with what they fit.

use planner::advice::{Advice, Change, Outcome, Wish};
use planner::graph::Bindings;
use planner::load::{Fault, load};
use planner::space::Misfit;
use planner::waste::WasteKind;
use planner::{
    AllocatorSettings, Bytes, Options, Settings, Silent, Step, Strategy, Subject, plan, prepare,
};
use tests::deployed::split;
use tests::shared::files;
use tests::snapshot::allocator::{Allocator, Settings as Configured};
use tests::snapshot::{Made, USUAL};

use super::read;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const OWNER: (i64, (i64, i64)) = (0, (0, 0));

fn subject(bytes: Vec<u8>) -> Subject {
    let (_, document, _) = load(&bytes).expect("a snapshot");
    prepare(&document, &Bindings::new(), &Settings::default()).expect("small enough")
}

fn advised(subject: &Subject) -> Advice {
    let advice = subject.advise(Bytes(1), &Wish::default(), &mut |_, _| {});
    advice.expect("a trace")
}

fn allocator(capacity: u64) -> Allocator {
    Allocator::new(Configured { capacity, ..USUAL }, 0x7f00_0000_0000)
}

/// The cases of this kind: made here, and the file of an outsider.
fn split_segments() -> Vec<Vec<u8>> {
    let mut all = vec![Made::split_segment().bytes(4)];
    let beside = files("cases", "oom_split_segment.pickle").into_iter();
    all.extend(beside.map(|it| it.1));
    all
}

/// By hand, of 11 GiB and 30 × 16 MiB on 16 GiB: unsplit segments make 11 GiB + 480 MiB; pages of
/// 20 MiB of one expandable segment 588 × 20 MiB; each 16 MiB of its own after the cache is emptied
/// the same as unsplit; in steps of a quarter of a power of two 11 GiB become 12 GiB, which leave
/// no room.
#[test]
fn what_fits_comes_first() {
    const WHOLE: u64 = 11 * GIB + 30 * 16 * MIB;
    for bytes in split_segments() {
        let subject = subject(bytes);
        let advice = advised(&subject);
        assert_eq!(advice.capacity, Some(Bytes(16 * GIB)));
        assert_eq!(
            (advice.base.failed, advice.base.taken),
            (1, Bytes(11 * GIB))
        );
        assert_eq!(advice.least, None);
        let of = |change: &Change| {
            let mut all = advice.proposals.iter();
            let found = all.find(|it| it.change == *change);
            let found = found.unwrap_or_else(|| panic!("{change:?}"));
            (found.outcome.failed, found.outcome.taken.0)
        };
        let own = AllocatorSettings::DEFAULT;
        for mib in [32, 64, 128, 256, 512] {
            let max_split = mib * MIB;
            let change = Change::Settings(AllocatorSettings { max_split, ..own });
            assert_eq!(of(&change), (0, WHOLE), "{mib}");
        }
        let expandable = AllocatorSettings {
            expandable: true,
            ..own
        };
        assert_eq!(of(&Change::Settings(expandable)), (0, 588 * 20 * MIB));
        // The events are counted from 1: segment, block, two for giving it back, then the small ones.
        assert_eq!(of(&Change::EmptyCache(Step(5))), (0, WHOLE));
        let divisions = [4; 16];
        let rounded = Change::Settings(AllocatorSettings { divisions, ..own });
        assert_eq!(of(&rounded), (1, 12 * GIB));
        let failed = advice.proposals.iter().map(|it| it.outcome.failed);
        let failed: Vec<u64> = failed.collect();
        assert!(failed.is_sorted() && failed.contains(&1), "{failed:?}");
    }
}

/// With 32 GiB, as somebody asks for, all 31 that were met and the one that failed fit. With the 16
/// that there were one fails, and where nobody says what there is nothing is said.
#[test]
fn that_all_fit_is_said_of_a_capacity() {
    let subject = subject(Made::split_segment().bytes(4));
    for (gib, fit) in [(32, Some(32)), (16, None)] {
        let wish = Wish {
            capacity: Some(Bytes(gib * GIB)),
            ..Wish::default()
        };
        let advice = subject.advise(Bytes(1), &wish, &mut |_, _| {});
        assert_eq!(subject.all_fit(&advice.expect("a trace")), fit, "{gib}");
    }
    let mut met = allocator(16 * GIB);
    met.alloc(GIB, OWNER, 1).expect("room");
    let met = self::subject(Made::of(vec![met], usize::MAX).bytes(4));
    assert_eq!(met.all_fit(&advised(&met)), None);
}

/// The same by hand: 480 MiB lie at the start of the only segment, and it cannot go back.
#[test]
fn the_story_of_a_failure_is_told() {
    for bytes in split_segments() {
        let failure = subject(bytes).failure().expect("a request failed");
        assert_eq!(failure.step, Step(35));
        assert_eq!(failure.asked.0, 11 * GIB);
        assert_eq!(failure.capacity().0, 16 * GIB);
        assert_eq!((failure.reserved.0, failure.live.0), (11 * GIB, 480 * MIB));
        let free = 11 * GIB - 480 * MIB;
        let found = failure.free;
        assert_eq!((found.free.0, found.largest_for_it.0), (free, free));
        assert_eq!(failure.why, Misfit::Pieces);
    }
}

/// A plan JSON, as a link has it, is about the same process: everything that is said of the failure
/// and everything that is advised is what is said of the snapshot. A plan that another allocator
/// made has no requests that failed.
#[test]
fn a_failure_is_handed_on() {
    // The device had room for the second: what was reserved is the limit.
    let mut twice = allocator(4 * GIB);
    let first = twice.alloc(3 * GIB, OWNER, 1).expect("room");
    assert_eq!(twice.alloc(2 * GIB, OWNER, 2), None);
    twice.request_free(first, 0);
    twice.complete_free(first, 0);
    twice.alloc(MIB, (7, (0, 0)), 1).expect("room");
    assert_eq!(twice.alloc(5 * GIB, OWNER, 1), None);
    twice.books.entries.last_mut().expect("events").address = 12 * GIB;
    let twice = Made::of(vec![twice], usize::MAX).bytes(4);
    for bytes in split_segments().into_iter().chain([twice]) {
        let sent = subject(bytes);
        let options = Options::aligned(Bytes(1));
        let own = sent.deployed.as_ref().expect("a trace");
        let read = subject(sent.plan_json(own, &options, "").into_bytes());
        assert_eq!(
            read.failure().expect("it failed"),
            sent.failure().expect("it failed")
        );
        assert_eq!(read.refused.len(), sent.refused.len());
        let callers = |subject: &Subject| {
            let frames = |stack: u32| subject.stacks.frames_of(stack).cloned().collect();
            let all = subject.refused.iter().map(|it| frames(it.stack));
            all.collect::<Vec<Vec<_>>>()
        };
        assert_eq!(callers(&read), callers(&sent));
        let advice = advised(&read);
        assert_eq!(advice, advised(&sent));
        assert_eq!(read.limit_below(&advice), sent.limit_below(&advice));

        let other = plan(
            Strategy::GreedyBySize,
            &sent.lifetimes,
            &options,
            &mut Silent,
        );
        let other = sent.plan_json(&other.expect("a plan"), &options, "");
        assert_eq!(subject(other.into_bytes()).failed_at(), None);
    }
}

/// Why a request fails whatever the blocks look like.
#[test]
fn every_reason_is_told_apart() {
    let why = |allocator: Allocator| {
        let made = Made::of(vec![allocator], usize::MAX);
        let subject = subject(made.bytes(4));
        (subject.failure().expect("it failed").why, advised(&subject))
    };
    let mut alone = allocator(16 * GIB);
    alone.alloc(GIB, OWNER, 1).expect("room");
    assert_eq!(alone.alloc(17 * GIB, OWNER, 1), None);
    assert_eq!(why(alone).0, Misfit::Device);

    // 10 GiB are in use, and 7 GiB more make 17 whatever the allocator is told.
    let mut live = allocator(16 * GIB);
    live.alloc(10 * GIB, OWNER, 1).expect("room");
    assert_eq!(live.alloc(7 * GIB, OWNER, 1), None);
    let (reason, advice) = why(live);
    assert_eq!(reason, Misfit::Live);
    assert_eq!(advice.least, Some(Bytes(17 * GIB)));

    // 10 GiB of another stream are kept by one small block of it.
    let mut elsewhere = allocator(16 * GIB);
    let other = (7, (0, 0));
    let large = elsewhere.alloc(10 * GIB, other, 1).expect("room");
    elsewhere.request_free(large, 0);
    elsewhere.complete_free(large, 0);
    elsewhere.alloc(16 * MIB, other, 1).expect("room");
    assert_eq!(elsewhere.alloc(8 * GIB, OWNER, 1), None);
    assert_eq!(why(elsewhere).0, Misfit::Elsewhere);

    // The device says that it has more than the allocator may take: what it took is the limit.
    let mut limit = allocator(4 * GIB);
    limit.alloc(GIB, OWNER, 1).expect("room");
    assert_eq!(limit.alloc(6 * GIB, OWNER, 1), None);
    limit.books.entries.last_mut().expect("events").address = 12 * GIB;
    let (reason, advice) = why(limit);
    assert_eq!(reason, Misfit::Limit);
    assert_eq!(advice.capacity, Some(Bytes(GIB)));
    assert_eq!(advice.base.failed, 1);
}

/// 6 GiB are free in no private pool, 2 are in use in one and 3 are refused there, of 9: none of the
/// 6 are for it, and while it is served none go back to the device, as PyTorch gives none back
/// while `captures_underway` is not empty. Given back before the pool is first asked, 2 + 3 fit. What
/// is kept in the 6 changes only that they could not go back. The reverse is the pool that has all 6
/// when another is asked for 2, of 7.
#[test]
fn what_is_free_in_another_pool_is_not_for_a_request() {
    let graph = (0, (0, 1));
    let cached = |capacity: u64, owner: (i64, (i64, i64))| {
        let mut allocator = allocator(capacity);
        let large = allocator.alloc(6 * GIB, owner, 1).expect("room");
        allocator.request_free(large, 0);
        allocator.complete_free(large, 0);
        allocator
    };
    let told = |allocator: Allocator, free: u64| {
        let subject = subject(Made::of(vec![allocator], usize::MAX).bytes(4));
        let failure = subject.failure().expect("it failed");
        let found = (failure.free.free.0, failure.free.largest_for_it.0);
        assert_eq!((found, failure.why), ((free, 0), Misfit::Elsewhere));
        let advice = advised(&subject);
        assert_eq!(advice.base.failed, 1);
        advice
    };
    let mut whole = cached(9 * GIB, OWNER);
    whole.alloc(2 * GIB, graph, 1).expect("room");
    assert_eq!(whole.alloc(3 * GIB, graph, 1), None);
    let advice = told(whole, 6 * GIB);
    // Segment, block and two events for giving it back come first.
    let emptied = Change::EmptyCache(Step(5));
    let mut all = advice.proposals.iter();
    let emptied = all.find(|it| it.change == emptied).expect("it is tried");
    assert_eq!(
        (emptied.outcome.failed, emptied.outcome.taken.0),
        (0, 6 * GIB)
    );

    let mut kept = cached(7 * GIB, OWNER);
    kept.alloc(20 * MIB, OWNER, 1).expect("room");
    assert_eq!(kept.alloc(2 * GIB, graph, 1), None);
    told(kept, 6 * GIB - 20 * MIB);

    let mut reverse = cached(7 * GIB, graph);
    assert_eq!(reverse.alloc(2 * GIB, OWNER, 1), None);
    told(reverse, 6 * GIB);
}

/// A trace without `pool_id`, as PyTorch wrote it before events had one. 6 GiB of no private pool are
/// free in one piece when 3 are refused: the request was not for them, so the pool was another. Of 2 GiB
/// that are cached in the default pool and 7 in use by a private one, of 10, 3 fit in none.
#[test]
fn a_request_without_a_pool_is_taken_for_any() {
    let graph = (0, (0, 1));
    let told = |cached: u64, capacity: u64, used: u64| {
        let mut it = allocator(capacity);
        let block = it.alloc(cached, OWNER, 1).expect("room");
        it.request_free(block, 0);
        it.complete_free(block, 0);
        it.alloc(used, graph, 1).expect("room");
        assert_eq!(it.alloc(3 * GIB, graph, 1), None);
        it.books.entries.last_mut().expect("the failure").pool = None;
        let bytes = Made::of(vec![it], usize::MAX).bytes(4);
        let (_, document, warnings) = load(&bytes).expect("a snapshot");
        let said = warnings
            .iter()
            .any(|it| it.message.to_string().contains("for which pool"));
        assert!(said, "{warnings:?}");
        let subject = prepare(&document, &Bindings::new(), &Settings::default());
        let subject = subject.expect("small enough");
        assert_eq!(subject.refused[0].pool, None);
        let failure = subject.failure().expect("it failed");
        (failure.free.largest_for_it.0, failure.why)
    };
    assert_eq!(
        told(6 * GIB, 9 * GIB, 2 * GIB),
        (6 * GIB, Misfit::Elsewhere)
    );
    // 7 + 3 are all that there is: the cache would have to go back for it.
    let (largest, why) = told(2 * GIB, 10 * GIB, 7 * GIB);
    assert_eq!((largest, why), (2 * GIB, Misfit::Pieces));
}

/// 5 GiB are cached, 12 are held and 6 are refused on 16 GiB. With 18 the cache goes back before
/// the 6 are asked for, and less than what is needed at once is never enough.
#[test]
fn a_limit_that_is_enough_counts_without_the_cache() {
    let mut allocator = allocator(16 * GIB);
    let cached = allocator.alloc(5 * GIB, OWNER, 1).expect("room");
    allocator.request_free(cached, 0);
    allocator.complete_free(cached, 0);
    allocator.alloc(12 * GIB, OWNER, 1).expect("room");
    assert_eq!(allocator.alloc(6 * GIB, OWNER, 1), None);
    let subject = subject(Made::of(vec![allocator], usize::MAX).bytes(4));
    assert_eq!(advised(&subject).least, Some(Bytes(18 * GIB)));
}

/// Of 16 GiB 4 are weights and 8 an activation, which is needed at its own allocation, where most is
/// needed first, but idle when 5 GiB are refused: without it 4 + 5 GiB are taken, without the weights
/// 8 + 5. Given back some events later it could have been given back before, and is there again right
/// before that, beside the weights and a segment of 2 MiB; kept, it could be elsewhere.
#[test]
fn what_is_idle_at_the_failure_is_advised() {
    for given_back in [false, true] {
        let mut allocator = allocator(16 * GIB);
        allocator.alloc(4 * GIB, OWNER, 5).expect("room");
        let activation = allocator.alloc(8 * GIB, OWNER, 1).expect("room");
        assert_eq!(allocator.alloc(5 * GIB, OWNER, 1), None);
        if given_back {
            allocator.alloc(MIB, OWNER, 1).expect("room");
            allocator.request_free(activation, 0);
            allocator.complete_free(activation, 0);
        }
        let subject = subject(Made::of(vec![allocator], usize::MAX).bytes(4));
        let advice = advised(&subject);
        let unheld = |bytes: u64| {
            let mut all = advice.proposals.iter();
            all.find_map(|it| match &it.change {
                Change::Unheld(group) if group.bytes.0 == bytes => Some((group, it.outcome)),
                _ => None,
            })
        };
        let (group, outcome) = unheld(8 * GIB).expect("it is idle");
        assert_eq!(Some(group.step), subject.failed_at());
        assert_eq!(group.lasting, !given_back);
        // 1 MiB comes in a segment of 2.
        let more = if given_back { 2 * MIB } else { 0 };
        let most = if given_back { 12 * GIB } else { 9 * GIB };
        assert_eq!((outcome.failed, outcome.taken.0), (0, most + more));
        let (_, outcome) = unheld(4 * GIB).expect("it is idle, too");
        assert_eq!((outcome.failed, outcome.taken.0), (0, 13 * GIB + more));
    }
}

/// The program asks for more than the device has, and goes on: 8 GiB that are given back, 20 MiB
/// in their segment, and 8 GiB again in another. Unsplit, 8 GiB serve twice: 20 MiB more are all
/// that is taken. That counts, for the request fails either way. Where it comes last nothing counts.
#[test]
fn what_saves_counts_where_the_program_went_on() {
    for last in [false, true] {
        let mut allocator = allocator(20 * GIB);
        let refuse = |allocator: &mut Allocator| {
            assert_eq!(allocator.alloc(21 * GIB, OWNER, 1), None);
        };
        if !last {
            refuse(&mut allocator);
        }
        let first = allocator.alloc(8 * GIB, OWNER, 1).expect("room");
        allocator.request_free(first, 0);
        allocator.complete_free(first, 0);
        allocator.alloc(20 * MIB, OWNER, 1).expect("room");
        allocator.alloc(8 * GIB, OWNER, 1).expect("room");
        if last {
            refuse(&mut allocator);
        }
        let subject = subject(Made::of(vec![allocator], usize::MAX).bytes(4));
        let advice = advised(&subject);
        assert_eq!((advice.base.failed, advice.base.taken.0), (1, 16 * GIB));
        assert_eq!(advice.continued, !last);
        let max_split = 512 * MIB;
        let own = AllocatorSettings::DEFAULT;
        let change = Change::Settings(AllocatorSettings { max_split, ..own });
        let mut all = advice.proposals.iter();
        let unsplit = all.find(|it| it.change == change).expect("it is tried");
        let taken = 8 * GIB + 20 * MIB;
        assert_eq!(
            (unsplit.outcome.failed, unsplit.outcome.taken.0),
            (1, taken)
        );
        assert_eq!(advice.helps(unsplit.outcome, unsplit.saved), !last);
        // The same one fails. Were it met, it would be the one of one.
        assert_eq!(advice.met_more(unsplit.outcome), 0);
        let failed = 0;
        let met = Outcome {
            failed,
            ..unsplit.outcome
        };
        assert_eq!(advice.met_more(met), 1);
        // What refuses a request that was met does not help, whatever it saves.
        let failed_anew = 1;
        let moved = Outcome {
            failed_anew,
            ..unsplit.outcome
        };
        assert!(!advice.helps(moved, unsplit.saved));
    }
}

/// Without a trace only the cache can be emptied: of two segments one has no block in it.
#[test]
fn without_a_trace_the_cache_can_be_emptied() {
    let mut allocator = allocator(16 * GIB);
    let cached = allocator.alloc(100 * MIB, OWNER, 1).expect("room");
    allocator.alloc(40 * MIB, OWNER, 1).expect("room");
    allocator.request_free(cached, 0);
    allocator.complete_free(cached, 0);
    let subject = subject(Made::of(vec![allocator], 0).bytes(4));
    let advice = advised(&subject);
    assert!(!advice.traced);
    assert_eq!(advice.base.taken.0, 140 * MIB);
    let [only] = &advice.proposals[..] else {
        panic!("{:?}", advice.proposals)
    };
    assert_eq!(only.change, Change::EmptyCache(Step(0)));
    assert_eq!((only.outcome.taken.0, only.saved), (40 * MIB, 100 << 20));
}

/// 100 MiB are cached when the trace begins and go back before 60 MiB are asked for: most is
/// reserved where nothing is needed.
#[test]
fn the_split_is_where_most_is_needed() {
    let mut allocator = allocator(16 * GIB);
    let cached = allocator.alloc(100 * MIB, OWNER, 1).expect("room");
    allocator.request_free(cached, 0);
    allocator.complete_free(cached, 0);
    allocator.empty_cache(0);
    allocator.alloc(60 * MIB, OWNER, 1).expect("room");
    // The trace has the segments that go and come, and the request.
    let (found, _) = read(&Made::of(vec![allocator], 3).bytes(4));
    let waste = split(&found.arenas[0]);
    let needed = |waste: &planner::waste::Waste| waste.part(WasteKind::Needed).map(|it| it.bytes);
    assert_eq!((waste.arena.0, needed(&waste)), (60 * MIB, Some(60 << 20)));
    let fullest = waste.fullest.expect("another step");
    assert_eq!((fullest.arena.0, needed(&fullest)), (100 * MIB, Some(0)));
}

/// 100 MiB are cached when the trace begins, and 60 MiB are placed into them: as much stays reserved,
/// also in pages of 20 MiB, of which 100 MiB are five.
#[test]
fn a_replay_begins_with_what_the_process_held() {
    let mut allocator = allocator(16 * GIB);
    let cached = allocator.alloc(100 * MIB, OWNER, 1).expect("room");
    allocator.request_free(cached, 0);
    allocator.complete_free(cached, 0);
    allocator.alloc(60 * MIB, OWNER, 1).expect("room");
    // The trace has the second request alone.
    let advice = advised(&subject(Made::of(vec![allocator], 1).bytes(4)));
    assert_eq!(
        (advice.taken.0, advice.base.taken.0),
        (100 * MIB, 100 * MIB)
    );
    assert_eq!(advice.base.needed.0, 60 * MIB);
    let expandable = AllocatorSettings {
        expandable: true,
        ..AllocatorSettings::DEFAULT
    };
    let mut all = advice.proposals.iter();
    let found = all.find(|it| it.change == Change::Settings(expandable));
    assert_eq!(found.map(|it| it.outcome.taken.0), Some(100 * MIB));
}

/// A request for 11 GiB on a device of 1 GiB, before any other: nothing is there to be shown, but
/// the failure is said. Beside another device that has a block it is said of the first.
#[test]
fn a_failure_without_any_block_is_said() {
    let alone = || {
        let mut alone = allocator(GIB);
        assert_eq!(alone.alloc(11 * GIB, OWNER, 1), None);
        alone
    };
    let bytes = Made::of(vec![alone()], usize::MAX).bytes(4);
    let error = tests::chinese::load(&bytes).expect_err("no block");
    let words =
        "device 0 was out of memory at event 0: 11811160064 bytes asked for, 1073741824 free";
    assert_eq!(error.kind, Fault::Figures, "{error}");
    assert!(error.message.to_string().contains(words), "{error}");
    let mut other = allocator(GIB);
    other.alloc(MIB, OWNER, 1).expect("room");
    let both = Made::of(vec![alone(), other], usize::MAX).bytes(4);
    let (_, document, warnings) = tests::chinese::load(&both).expect("a block");
    assert_eq!(document.deployed().expect("a trace").arenas.len(), 1);
    assert!(
        warnings
            .iter()
            .any(|it| it.message.to_string().contains(words)),
        "{warnings:?}"
    );
}
