//! Tables of requests: what is read, what is refused and where.

use planner::kv_cache::{Placement, Request, Workload};
use planner::load::{Document, Fault, Format, load, requests};
use planner::{Bytes, Options, check};

use super::arbitrary;

fn refused(text: &str) -> (Fault, String) {
    let error = load(&text.as_bytes().to_vec()).expect_err("it is refused");
    (error.kind, error.to_string())
}

#[test]
fn a_workload_comes_back_as_it_was_written() {
    for seed in 0..30 {
        let workload = arbitrary(seed);
        let (read, warnings) = requests(&workload.text().into_bytes()).expect("its own text");
        assert_eq!(warnings, []);
        assert_eq!(read, workload, "{seed}");
    }
}

/// Every placement opens as an arena, and the judge finds nothing wrong with it.
#[test]
fn every_arena_passes_the_judge() {
    for seed in 0..10 {
        let workload = arbitrary(seed);
        let text = workload.text().into_bytes();
        let (format, document, _) = load(&text).expect("its own text");
        assert_eq!(format, Format::Requests);
        let Document::Deployed(deployed) = document else {
            panic!("arenas are deployed");
        };
        let in_cache = deployed.arenas.iter().filter(|it| !it.lanes.is_empty());
        assert_eq!(in_cache.count(), workload.placements().count());
        for arena in &deployed.arenas {
            let found = check(&arena.lifetimes, &arena.plan, &Options::aligned(Bytes(1)));
            assert_eq!(found, [], "{seed}: {}", arena.name);
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    const HEADER: &str = "id,arrival,prompt,output\n";
    let cases = [
        ("r,0,1\n", Fault::Malformed, "line 2"),
        (",0,1,1\n", Fault::Malformed, "the id is empty"),
        ("r,0,0,1\n", Fault::Malformed, "prompt is 0"),
        ("r,0,1,0\n", Fault::Malformed, "output is 0"),
        ("r,0,1,-1\n", Fault::Malformed, "line 2"),
        ("r,0,1,4294967297\n", Fault::Limit, "beyond 4294967296"),
        (
            "r,0,1,99999999999999999999\n",
            Fault::Limit,
            "beyond 64 bits",
        ),
        ("r,0,1,1\nr,0,1,1\n", Fault::Duplicate, "line 3"),
        ("", Fault::Malformed, "there is no request"),
        ("# page=0\nr,0,1,1\n", Fault::Malformed, "page is 0"),
        (
            "# page=2\n# page=2\nr,0,1,1\n",
            Fault::Duplicate,
            "page is said twice",
        ),
        ("# capacity=5\nr,0,1,1\n", Fault::Limit, "the cache has 0"),
        (
            "# bytes_per_token=18446744073709551615\nr,0,1,1\n",
            Fault::Limit,
            "the cache is beyond 64 bits",
        ),
    ];
    for (rows, kind, says) in cases {
        let found = refused(&format!("{HEADER}{rows}"));
        assert_eq!(found.0, kind, "{rows:?}: {}", found.1);
        assert!(found.1.contains(says), "{rows:?}: {}", found.1);
    }
}

/// A key that is not known is named, as it may be one that was mistyped; a remark is none.
#[test]
fn keys_that_are_not_known_are_named() {
    let text = "# a remark = fine\n# capcity=100\nid,arrival,prompt,output\nr,0,1,1\n";
    let (_, warnings) = requests(&text.as_bytes().to_vec()).expect("requests");
    let said: Vec<String> = warnings
        .iter()
        .map(|it| format!("{}: {}", it.place, it.message))
        .collect();
    let known =
        "line 2: capcity is left out: known are bytes_per_token, page, window, longest, capacity";
    assert!(said.iter().any(|it| it == known), "{said:?}");
    assert_eq!(said.len(), 2, "{said:?}");
}

/// Four thousand million pages of one token are too many blocks; one block is not.
#[test]
fn a_placement_with_too_many_blocks_is_left_out() {
    let text = "# page=1\nid,arrival,prompt,output\nr,0,1,4294967296\n";
    let (_, document, warnings) = load(&text.as_bytes().to_vec()).expect("other placements");
    let arenas = document.deployed().map_or(0, |it| it.arenas.len());
    assert_eq!(arenas, 2);
    let said = warnings
        .iter()
        .any(|it| it.message.to_string().contains("more than 4194304 blocks"));
    assert!(said, "{warnings:?}");
}

/// One request of the most tokens and the latest arrival plays at once where its pages are large.
#[test]
fn the_largest_figures_overflow_nothing() {
    let request = |id: &str, arrival| Request {
        id: id.to_owned(),
        arrival,
        prompt: 1 << 32,
        output: 1 << 32,
        prefix: Some(("p".to_owned(), u64::MAX)),
    };
    let workload = Workload {
        token: Bytes(1 << 20),
        page: 1 << 24,
        window: Some(1),
        ..Workload::of(vec![request("a", 0), request("b", 1 << 32)])
    };
    for placement in Placement::ALL {
        let found = planner::kv_cache::replay(&workload, placement);
        let found = found.unwrap_or_else(|why| panic!("{placement:?}: {why}"));
        assert_eq!(found.ends, [1 << 32, 1 << 33], "{placement:?}");
    }
}
