//! The key-value cache: requests under each placement, held against a simulation that goes step by
//! step, and against what must hold of any workload.

mod tables;

use planner::Bytes;
use planner::kv_cache::fit::{fits, whole};
use planner::kv_cache::{
    Placement, Range, Replay, Request, Seeded, Stay, Workload, replay, seeded,
};
use tests::random::Random;

/// A workload of up to 30 requests with prefixes, a window and, for every other seed, a cache that
/// is hardly larger than the largest request.
fn arbitrary(seed: u64) -> Workload {
    let mut random = Random::new(seed);
    let page = random.within(1, 20);
    let mut requests = seeded(&Seeded {
        seed,
        count: random.index(30) + 1,
        every: random.within(0, 8),
        prompt: Range {
            from: 1,
            to: random.within(1, 120),
        },
        output: Range {
            from: 1,
            to: random.within(1, 90),
        },
    });
    for request in &mut requests {
        if random.index(2) == 0 {
            let name = format!("p{}", random.index(3));
            request.prefix = Some((name, random.within(0, 60)));
        }
    }
    let window = Some(random.within(1, 60));
    let longest = requests
        .iter()
        .map(Request::tokens)
        .max()
        .expect("a request");
    let pages = longest.div_ceil(page).next_power_of_two() * random.within(1, 4);
    let token = Bytes(random.within(1, 9));
    let capacity = seed
        .is_multiple_of(2)
        .then(|| Bytes(pages * page * token.0));
    Workload {
        token,
        page,
        window,
        capacity,
        longest,
        ..Workload::of(requests)
    }
}

fn played(workload: &Workload, placement: Placement) -> Replay {
    replay(workload, placement).unwrap_or_else(|why| panic!("{placement:?}: {why}"))
}

/// The stays of the cache that are there at `step`.
fn at(found: &Replay, step: u64) -> impl Iterator<Item = &Stay> {
    let there = move |it: &&Stay| !it.host && it.steps.0 <= step && step < it.steps.1;
    found.stays.iter().filter(there)
}

/// When each request runs: its stays of any page, or of its block, put together. A shared page is
/// not its own.
fn runs(workload: &Workload, found: &Replay) -> Vec<Vec<(u64, u64)>> {
    let mut runs = vec![Vec::new(); workload.requests.len()];
    for stay in found.stays.iter().filter(|it| !it.host && !it.shared) {
        runs[stay.request].push(stay.steps);
    }
    for runs in &mut runs {
        runs.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for &(start, end) in &*runs {
            match merged.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        *runs = merged;
    }
    runs
}

#[test]
fn blocks_never_overlap_and_the_cache_is_never_exceeded() {
    for seed in 0..60 {
        let workload = arbitrary(seed);
        for placement in workload.placements() {
            let found = played(&workload, placement);
            let last = found.ends.iter().max().copied().expect("a request");
            for step in 0..last {
                let mut blocks: Vec<(u64, u64)> = at(&found, step)
                    .map(|it| (it.offset.0, it.offset.0 + it.size.0))
                    .collect();
                blocks.sort_unstable();
                let apart = blocks.windows(2).all(|pair| pair[0].1 <= pair[1].0);
                assert!(apart, "{seed} {placement:?} at {step}: {blocks:?}");
                let top = blocks.last().map_or(0, |it| it.1);
                assert!(
                    workload.capacity.is_none_or(|it| top <= it.0),
                    "{seed} {placement:?}"
                );
            }
            assert!(at(&found, last).next().is_none(), "all is given back");
        }
    }
}

/// Preempted or not, every request runs for as many steps as its output has tokens, after its
/// arrival.
#[test]
fn no_request_is_lost() {
    let mut preempted = 0;
    for seed in 0..60 {
        let workload = arbitrary(seed);
        for placement in workload.placements() {
            // A request whose pages are all shared has none of its own.
            if placement == Placement::PagedPrefix {
                continue;
            }
            let found = played(&workload, placement);
            preempted += found.preemptions;
            let runs = runs(&workload, &found);
            for ((request, runs), end) in workload.requests.iter().zip(runs).zip(&found.ends) {
                let steps: u64 = runs.iter().map(|(start, end)| end - start).sum();
                // One that is admitted in the very step in which it was given up merges.
                assert_eq!(
                    steps, request.output,
                    "{seed} {placement:?} {}: {runs:?}",
                    request.id
                );
                assert!(runs[0].0 >= request.arrival);
                assert_eq!(runs.last().map(|it| it.1), Some(*end));
            }
        }
    }
    assert!(preempted > 100, "{preempted}");
}

#[test]
fn without_a_limit_all_placements_end_alike() {
    for seed in 0..60 {
        let workload = Workload {
            capacity: None,
            ..arbitrary(seed)
        };
        let ends: Vec<u64> = workload
            .requests
            .iter()
            .map(|it| it.arrival + it.output)
            .collect();
        for placement in Placement::ALL {
            let found = played(&workload, placement);
            assert_eq!(found.ends, ends, "{seed} {placement:?}");
            assert_eq!((found.preemptions, found.swapped), (0, Bytes::ZERO));
        }
    }
}

/// Of pages, at every step: less than one page wasted inside for each request that runs, nothing
/// outside.
#[test]
fn pages_waste_less_than_one_for_each_request() {
    for seed in 0..60 {
        let workload = arbitrary(seed);
        let found = played(&workload, Placement::Paged);
        let page = workload.page * workload.token.0;
        assert_eq!(found.sums[3], 0);
        assert!(found.external.iter().all(|it| it.1 == Bytes::ZERO));
        for &(step, bytes) in &found.internal {
            let mut running: Vec<usize> = at(&found, step.0).map(|it| it.request).collect();
            running.sort_unstable();
            running.dedup();
            let most = running.len() as u64 * page;
            assert!(
                bytes.0 < most.max(1),
                "{seed} at {step:?}: {bytes:?} of {most}"
            );
        }
    }
}

/// What tokens, tokens to come and internal waste are, added up request by request and step by step
/// from the stays alone.
fn by_steps(workload: &Workload, placement: Placement, found: &Replay) -> [u128; 3] {
    let token = workload.token.0;
    let mut sums = [0_u128; 3];
    let runs = runs(workload, found);
    for (index, request) in workload.requests.iter().enumerate() {
        let mut tokens = request.prompt;
        for &(start, end) in &runs[index] {
            for step in start..end {
                tokens += 1;
                let own = at(found, step).filter(|it| it.request == index && !it.shared);
                let blocks: Vec<&Stay> = own.collect();
                let room: u64 = blocks.iter().map(|it| it.size.0 / token).sum();
                let first = blocks.iter().map(|it| it.page).min().unwrap_or(0) * workload.page;
                let seen_from = match (placement, workload.window) {
                    (Placement::PagedWindow, Some(window)) => tokens.saturating_sub(window),
                    _ => 0,
                };
                let held = tokens - seen_from.max(first);
                let to_come = (first + room).min(request.tokens()) - tokens;
                sums[0] += u128::from(held * token);
                sums[1] += u128::from(to_come * token);
                sums[2] += u128::from((room - held - to_come) * token);
            }
        }
    }
    sums
}

#[test]
fn sums_are_those_of_every_step() {
    for seed in 0..40 {
        let workload = arbitrary(seed);
        for placement in workload
            .placements()
            .filter(|it| *it != Placement::PagedPrefix)
        {
            let found = played(&workload, placement);
            let [tokens, to_come, internal, _] = found.sums;
            let expected = by_steps(&workload, placement, &found);
            assert_eq!(
                [tokens, to_come, internal],
                expected,
                "{seed} {placement:?}"
            );
        }
    }
}

/// The parts of all blocks at each step are all of their bytes.
#[test]
fn parts_make_the_whole_with_shared_prefixes_too() {
    for seed in 0..40 {
        let workload = arbitrary(seed);
        for placement in workload.placements() {
            let found = played(&workload, placement);
            let stays = found.stays.iter().filter(|it| !it.host);
            let whole: u128 = stays
                .map(|it| u128::from(it.size.0) * u128::from(it.steps.1 - it.steps.0))
                .sum();
            let parts: u128 = found.sums[..3].iter().sum();
            assert_eq!(parts, whole, "{seed} {placement:?}");
        }
    }
}

/// Pages of a prefix are there once, and as long as anybody has them.
#[test]
fn prefixes_are_there_once() {
    let request = |id: &str, arrival, prefix| Request {
        id: id.to_owned(),
        arrival,
        prompt: 40,
        output: 10,
        prefix,
    };
    let system = || Some(("system".to_owned(), 32));
    let requests = vec![
        request("a", 0, system()),
        request("b", 5, system()),
        request("c", 5, None),
    ];
    let workload = Workload {
        token: Bytes(1),
        ..Workload::of(requests)
    };
    let found = played(&workload, Placement::PagedPrefix);
    let shared: Vec<(u64, (u64, u64))> = found
        .stays
        .iter()
        .filter(|it| it.shared)
        .map(|it| (it.page, it.steps))
        .collect();
    assert_eq!(shared, [(0, (0, 15)), (1, (0, 15))]);
    let pages = |step| at(&found, step).count();
    // 41 tokens are three pages; 49 are four.
    assert_eq!(
        [pages(0), pages(5), pages(9), pages(14)],
        [3, 2 + 1 + 1 + 3, 2 + 2 + 1 + 3, 2 + 2 + 4]
    );
}

/// By hand, pages of 4 tokens, three of them: the second request gives way as the first grows, and
/// comes back when that has ended.
#[test]
fn who_arrived_last_is_preempted() {
    let request = |id: &str, arrival| Request {
        id: id.to_owned(),
        arrival,
        prompt: 3,
        output: 5,
        prefix: None,
    };
    let workload = Workload {
        token: Bytes(10),
        page: 4,
        capacity: Some(Bytes(120)),
        ..Workload::of(vec![request("a", 0), request("b", 1)])
    };
    let found = played(&workload, Placement::Paged);
    // a: 4 tokens at step 0, 5 at step 1, …, 8 at step 4. b: 4 tokens at step 1, a third page is
    // wanted at step 2, all three are taken, and b itself came last. It is back at step 5 with 4
    // tokens that are computed anew, and 4 to come.
    assert_eq!(
        (found.ends.clone(), found.preemptions, found.recomputed),
        (vec![5, 9], 1, 4)
    );
    let tight = Workload {
        capacity: Some(Bytes(80)),
        ..workload.clone()
    };
    let found = played(&tight, Placement::Paged);
    assert_eq!(
        (found.ends.clone(), found.preemptions),
        (vec![5, 10], 0),
        "b waits for a"
    );
    let later = Workload {
        requests: vec![
            request("a", 0),
            Request {
                prompt: 1,
                ..request("b", 0)
            },
        ],
        ..tight
    };
    // Both have one page at step 0; a wants a second one at step 1, and b, which has 2 of its 6
    // tokens then, goes. It is back at step 5 with those 2, and computes them anew.
    let found = played(&later, Placement::Paged);
    assert_eq!(
        (found.ends.clone(), found.preemptions, found.recomputed),
        (vec![5, 9], 1, 2)
    );
    let swapped = played(&later, Placement::PagedSwap);
    assert_eq!((swapped.ends, swapped.recomputed), (found.ends, 0));
    // One page of 40 bytes there and back.
    assert_eq!(swapped.swapped, Bytes(80));
    let host: Vec<&Stay> = swapped.stays.iter().filter(|it| it.host).collect();
    assert_eq!(
        (host.len(), host[0].steps, host[0].payload),
        (1, (1, 5), Bytes(20))
    );
}

/// One block for the longest request is that large, whatever a page is; a token without bytes is
/// refused.
#[test]
fn one_block_each_does_not_depend_on_pages() {
    let request = Request {
        id: "r".to_owned(),
        arrival: 0,
        prompt: 3,
        output: 2,
        prefix: None,
    };
    let workload = Workload {
        token: Bytes(7),
        page: 1000,
        longest: 40,
        ..Workload::of(vec![request])
    };
    let found = played(&workload, Placement::Longest);
    let sizes: Vec<(Bytes, Bytes)> = found.stays.iter().map(|it| (it.size, it.payload)).collect();
    assert_eq!(sizes, [(Bytes(280), Bytes(35))]);
    let empty = Workload {
        token: Bytes::ZERO,
        ..workload
    };
    for placement in Placement::ALL {
        assert!(replay(&empty, placement).is_err(), "{placement:?}");
    }
}

/// A page of Llama 2 7B with 16 tokens in 16 bits: 2 · 32 layers · 32 heads · 128 · 2 bytes · 16.
#[test]
fn a_page_of_llama_2_7b_has_8_mib() {
    let of = planner::generate::presets::preset("llama-2-7b").expect("a preset");
    let bits = planner::generate::closed_forms::cache_bits(&of, (1, 1), 16);
    let token = Bytes(u64::try_from(bits / 8).expect("small"));
    let request = Request {
        id: "r".to_owned(),
        arrival: 0,
        prompt: 16,
        output: 1,
        prefix: None,
    };
    let workload = Workload {
        token,
        ..Workload::of(vec![request])
    };
    let found = played(&workload, Placement::Paged);
    assert_eq!(found.stays[0].size, Bytes(8 << 20));
}

/// A cache of so many blocks of the longest runs as many requests at once where more would run
/// without a limit: who waits keeps the blocks taken. With room for every block each placement runs
/// as many as without a limit.
#[test]
fn as_many_run_at_once_as_there_are_blocks() {
    for seed in 0..60 {
        let workload = Workload {
            capacity: None,
            ..arbitrary(seed)
        };
        let block = workload.longest * workload.token.0;
        let whole = whole(&workload);
        let found: Vec<_> = fits(&workload, whole).collect();
        assert_eq!(found.len(), 16);
        for fit in &found {
            let (placement, running) = fit.running[0];
            assert_eq!(placement, Placement::Longest);
            let blocks = fit.capacity.0 / block;
            assert_eq!(running, (blocks > 0).then_some(blocks), "{seed}: {fit:?}");
        }
        // Pages of one token are never larger than what they hold.
        let fine = Workload {
            page: 1,
            ..workload.clone()
        };
        let unlimited = played(&fine, Placement::Paged).most_running;
        let last = fits(&fine, whole).last().expect("16 sizes");
        if last.capacity == whole {
            let expected = (Placement::Paged, Some(unlimited));
            assert_eq!(last.running[2], expected, "{seed}");
        }
    }
}

/// A model's window and places are those of its requests: Mistral 7B looks back 4,096 tokens, GPT-2
/// has 1,024 places, Gemma 2 a window in each other layer, BERT no cache.
#[test]
fn a_model_says_what_its_cache_is() {
    let of = |name| planner::generate::presets::preset(name).expect("a preset");
    let request = |tokens: u64| Request {
        id: "r0".to_owned(),
        arrival: 0,
        prompt: tokens - 1,
        output: 1,
        prefix: None,
    };
    let with = |name, tokens| Workload::of(vec![request(tokens)]).with_model(&of(name), 16);
    let (mistral, said) = with("mistral-7b", 8192).expect("a cache");
    // 32 layers · 2 · 8 heads · 128 · 2 bytes.
    assert_eq!(
        (mistral.token, mistral.window),
        (Bytes(131_072), Some(4096))
    );
    assert!(said.is_none());
    assert!(with("gpt2", 1024).is_ok());
    let why = with("gpt2", 1025).expect_err("too long");
    assert_eq!(
        why.to_string(),
        "tokens: places are learned for 1024 tokens only"
    );
    let why = with("bert-base", 8).expect_err("an encoder");
    assert_eq!(why.to_string(), "mode: an encoder keeps no keys and values");
    let (_, said) = with("gemma-2-2b", 8192).expect("a cache");
    let expected = "13 of 26 layers have a window, and are counted as those that have none";
    assert_eq!(said.expect("a remark").to_string(), expected);
}
