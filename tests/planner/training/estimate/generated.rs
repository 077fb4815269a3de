//! An estimate against the tests' generator of snapshots: its allocator is asked for the same and
//! writes its own books, its file is opened, and what the file asked for is replayed. Of the
//! estimate the generator sees nothing but the list of requests.

use planner::advice::{reserved_under, surroundings};
use planner::deployed::{Arena, LaneKind};
use planner::graph::Graph;
use planner::training::estimate::replayed::{POINTS, replay};
use planner::training::estimate::requests::requests;
use planner::training::estimate::{Act, Purpose, Requests};
use planner::training::layers::{Layer, Layers};
use planner::training::{Gist, Optimizer, Policy, Precision, Rates, Recipe, Rule};
use planner::{AllocatorSettings, Bytes};
use tests::deployed::deployed;
use tests::networks;
use tests::random::Random;
use tests::snapshot::allocator::{Allocator, Settings};
use tests::snapshot::books::Line;
use tests::snapshot::{Made, USUAL};

use super::{asked, graph, schedule};
use crate::training::autograd::NOTHING;

/// Room for every step here.
const ROOMY: Settings = Settings {
    capacity: 1 << 40,
    ..USUAL
};

/// The generator's stack that asks for memory for this purpose.
pub(super) fn stack(purpose: Purpose) -> usize {
    match purpose {
        Purpose::Weights | Purpose::Master => 5,
        Purpose::Inputs | Purpose::Outputs => 1,
        Purpose::Optimizer => 4,
        _ => 3,
    }
}

/// The generator's allocator after it has met the requests, what it had after each, and for how
/// many it had no room.
pub(super) fn met(requests: &Requests, settings: Settings) -> (Made, Vec<Line>, u64) {
    let mut allocator = Allocator::new(settings, 0x7f00_0000_0000);
    let mut books = vec![None; requests.list.len()];
    let (mut lines, mut failed) = (Vec::new(), 0);
    for event in &requests.events {
        let index = event.request as usize;
        let request = &requests.list[index];
        match event.act {
            Act::Allocate => {
                let stack = stack(request.purpose);
                books[index] = allocator.alloc(request.bytes.0, (0, (0, 0)), stack);
                failed += u64::from(books[index].is_none());
            }
            Act::Free => {
                if let Some(book) = books[index].take() {
                    allocator.request_free(book, 0);
                    allocator.complete_free(book, 0);
                }
            }
        }
        lines.push(allocator.books.lines.last().copied().unwrap_or_default());
    }
    (Made::of(vec![allocator], usize::MAX), lines, failed)
}

/// The most segments at a time, as the generator wrote them down; expandable ones stay.
fn segments(made: &Made, settings: Settings) -> u64 {
    let allocator = &made.allocators[0];
    if settings.expandable {
        return allocator.owners.len() as u64;
    }
    let (mut now, mut most) = (0_u64, 0);
    for entry in &allocator.books.entries {
        match entry.action {
            "segment_alloc" => now += 1,
            "segment_free" => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}

fn ours(settings: Settings) -> AllocatorSettings {
    AllocatorSettings {
        expandable: settings.expandable,
        max_split: settings.max_split.unwrap_or(u64::MAX),
        divisions: [settings.divisions; 16],
        collect_above: AllocatorSettings::collects_above(settings.collect_above as f64 / 1000.0),
    }
}

fn settings() -> Vec<Settings> {
    vec![
        ROOMY,
        Settings {
            expandable: true,
            ..ROOMY
        },
        Settings {
            max_split: Some(32 << 20),
            ..ROOMY
        },
        Settings {
            divisions: 8,
            ..ROOMY
        },
        // So little that a step is above it.
        Settings {
            collect_above: 100,
            capacity: 1 << 30,
            ..ROOMY
        },
    ]
}

fn recipes() -> Vec<Recipe> {
    let adam = Recipe {
        optimizer: Optimizer::Adam,
        ..Recipe::default()
    };
    let autograd = Recipe {
        rule: Rule::Autograd,
        ..adam
    };
    vec![
        Recipe::default(),
        adam,
        autograd,
        Recipe {
            set_to_none: true,
            precision: Precision::Mixed,
            ..autograd
        },
        Recipe {
            rule: Rule::Compile,
            optimizer: Optimizer::Momentum,
            ..Recipe::default()
        },
        Recipe {
            gist: Gist {
                bits: Some(16),
                ..NOTHING
            },
            rates: Some(Rates {
                flops: 10_000_000_000_000,
                link: 16_000_000_000,
            }),
            ..autograd
        },
    ]
}

/// The same requests by the estimate, by the generator, and from the generator's file; how many
/// failed.
fn compare(graph: &Graph, (policy, recipe): (Policy, Recipe), settings: Settings) -> u64 {
    let asked = asked(policy, recipe);
    let scheduled = schedule(graph, &asked);
    let requests = requests(&scheduled, &asked);
    let case = format!("{} {policy:?} {recipe:?} {settings:?}", graph.name);
    let found = replay(&requests, ours(settings), Some(Bytes(settings.capacity)));
    let (made, lines, failed) = met(&requests, settings);
    assert_eq!(found.failed, failed, "{case}");
    // After every event, where each has a point.
    assert_eq!(found.events, lines.len());
    if lines.len() <= POINTS {
        assert_eq!(found.points.len(), lines.len());
    }
    for point in &found.points {
        let line = lines[point.event];
        let have = (point.requested.0, point.allocated.0, point.reserved.0);
        let books = (line.requested, line.allocated, line.reserved);
        assert_eq!(have, books, "{case}: event {}", point.event);
        let sum: u64 = point.bytes.iter().map(|it| it.0).sum();
        assert_eq!(sum, point.allocated.0, "{case}: event {}", point.event);
    }
    let most = |of: fn(&Line) -> u64| made.allocators[0].books.lines.iter().map(of).max();
    assert_eq!(Some(found.reserved.0), most(|it| it.reserved), "{case}");
    assert_eq!(
        Some(found.peak.allocated.0),
        most(|it| it.allocated),
        "{case}"
    );
    if failed > 0 {
        return failed;
    }
    // The generator has an expandable segment from the first request for it on, even one that fails.
    assert_eq!(found.segments, segments(&made, settings), "{case}");
    let (_, document, _) = planner::load::load(&made.bytes(4)).expect("a snapshot");
    let arena = deployed(document).arenas.remove(0);
    opened(&arena, &found, &case);
    let surroundings = surroundings(&arena.lifetimes, &arena.plan, &[], None);
    let replayed = reserved_under(&arena.lifetimes, &arena.plan, ours(settings), &surroundings);
    // Where blocks are collected, the file does not tell the limit.
    if settings.collect_above == 0 {
        assert_eq!(replayed.peak, found.reserved, "{case}");
        assert_eq!(replayed.segments, found.segments, "{case}");
    }
    0
}

/// What the loader reads of the file.
fn opened(arena: &Arena, found: &planner::training::estimate::Estimate, case: &str) {
    assert_eq!(arena.plan.reserved, Some(found.reserved), "{case}");
    for (kind, most) in [
        (LaneKind::Allocated, found.peak.allocated),
        (LaneKind::Active, found.peak.active()),
        (LaneKind::Reserved, found.reserved),
    ] {
        let lane = arena
            .lanes
            .iter()
            .find(|it| it.kind == kind)
            .expect("a lane");
        let highest = lane.points.iter().map(|point| point.1).max();
        assert_eq!(highest, Some(most), "{case}: {kind:?}");
    }
}

#[test]
fn small_networks_take_what_the_generator_takes() {
    let networks = [
        include_str!("../../../data/training/autograd/cnn.graph"),
        include_str!("../../../data/training/autograd/mlp.graph"),
        include_str!("../../../data/training/autograd/transformer.graph"),
        super::by_hand::HAND,
    ];
    for text in networks {
        let graph = graph(text.as_bytes(), &[]);
        for recipe in recipes() {
            let swaps = recipe.rates.map(|_| Policy::VdnnAll);
            for policy in [Policy::KeepAll, Policy::SqrtN].into_iter().chain(swaps) {
                for settings in settings() {
                    assert_eq!(compare(&graph, (policy, recipe), settings), 0);
                }
            }
        }
    }
}

#[test]
fn whole_models_take_what_the_generator_takes() {
    let models = [
        (networks::mobilenet_v2(), vec![]),
        (networks::unet(), vec![]),
        (
            networks::transformer(),
            vec![("batch", 2), ("sequence_length", 128)],
        ),
    ];
    for (model, bindings) in models {
        let graph = graph(&model, &bindings);
        for (index, recipe) in recipes().into_iter().enumerate() {
            // Each recipe under some of the settings.
            for settings in settings().into_iter().skip(index % 2).step_by(2) {
                assert_eq!(compare(&graph, (Policy::KeepAll, recipe), settings), 0);
            }
        }
        let recipe = recipes()[2];
        assert_eq!(compare(&graph, (Policy::SqrtN, recipe), ROOMY), 0);
    }
}

/// Up to 12 layers, each of which reads the one before it and some read another, of up to some tens
/// of mebibytes.
fn arbitrary(random: &mut Random) -> Graph {
    let bytes = |random: &mut Random| match random.below(4) {
        0 => random.within(1, 5_000),
        1 => random.within(5_000, 1 << 20),
        2 => random.within(1 << 20, 9 << 20),
        _ => random.within(9 << 20, 40 << 20),
    };
    let mut list: Vec<Layer> = Vec::new();
    for index in 0..=random.index(12) {
        let mut inputs: Vec<usize> = index.checked_sub(1).into_iter().collect();
        if index > 1 && random.index(3) == 0 {
            inputs.insert(0, random.index(index - 1));
        }
        list.push(Layer {
            name: format!("l{index}"),
            inputs,
            flops: random.below(9),
            bytes: bytes(random),
            parameters: random.below(2) * bytes(random) / 4,
        });
    }
    let layers = Layers {
        name: "arbitrary".to_owned(),
        batch: 1,
        list,
    };
    layers.graph().expect("few operations")
}

/// On a device with room, and on one that has too little for most.
#[test]
fn arbitrary_layers_take_what_the_generator_takes() {
    let mut random = Random::new(44);
    let (mut failed, mut met) = (0, 0);
    for round in 0..60 {
        let graph = arbitrary(&mut random);
        let recipe = Recipe {
            optimizer: Optimizer::ALL[round % 3],
            precision: Precision::ALL[round % 2],
            set_to_none: random.below(2) == 0,
            ..Recipe::default()
        };
        for settings in settings() {
            assert_eq!(compare(&graph, (Policy::KeepAll, recipe), settings), 0);
            let tight = Settings {
                capacity: random.within(1, 400) << 20,
                ..settings
            };
            match compare(&graph, (Policy::SqrtN, recipe), tight) {
                0 => met += 1,
                _ => failed += 1,
            }
        }
    }
    assert!(failed > 50 && met > 50, "{failed} {met}");
}
