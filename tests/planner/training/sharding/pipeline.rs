//! What the stages of a pipeline hold.

use planner::generate::closed_forms::activations_16_bit;
use planner::training::judge::judge;
use planner::training::policies::keep_all;
use planner::training::sharding::pipeline::{Slot, slots};

use super::*;

/// s, b, h, a.
const LAYERS: [(u64, u64, u64, u64); 3] = [(16, 1, 8, 2), (32, 3, 24, 4), (7, 5, 12, 3)];

/// Bytes that a layer keeps, with the means and deviations of its two normalisations.
fn layer(sizes @ (s, b, _, _): (u64, u64, u64, u64)) -> u64 {
    u64::try_from(activations_16_bit(sizes)).expect("small") + 2 * 2 * 4 * s * b
}

fn stage(
    sizes @ (s, b, h, a): (u64, u64, u64, u64),
    layers: u64,
    sharding: Sharding,
) -> (Problem, Walk) {
    let step = step(
        &sized(&classic(layers, h, a, 50, s), (s, b)),
        recipe(sharding),
    );
    let walk = keep_all(&step.problem);
    assert_eq!(judge(&step.problem, &walk, None), Ok(()), "{sizes:?}");
    kept(&step)
}

/// The first stage holds as much as a device with all layers would hold of one micro-batch: p
/// micro-batches, each of L/p layers, and p masks of the embedding's dropout (Korthikanti et al.
/// 2022, section 4.2.3). Stage r holds p − r of them, and the layers' inputs that it received are in
/// the 34.
#[test]
fn stages_hold_as_many_micro_batches_as_come_after_them() {
    for sizes @ (s, b, h, _) in LAYERS {
        for (layers, pipeline) in [(4, 2), (8, 4), (6, 3)] {
            for stage_at in 0..pipeline {
                let sharding = Sharding {
                    pipeline,
                    micro: 2 * pipeline,
                    stage: stage_at,
                    ..Sharding::default()
                };
                let held = u64::from(pipeline - stage_at);
                let each = layers / u64::from(pipeline);
                let mut expected = held * each * layer(sizes);
                if stage_at == 0 {
                    expected += held * s * b * h;
                }
                let run = stage(sizes, layers, sharding);
                let last = stage_at + 1 == pipeline;
                // The last stage has the last normalisation and the logits beside its layers.
                let of_layers = |node: &Node| !last || node.name.contains("layers.");
                let found = before_backward(&run, of_layers);
                // What its first layer reads is received, under the name of another stage.
                let received = before_backward(&run, |it| last && is_received(it));
                // What the last layer writes is read by the last normalisation.
                let after = if last { 2 * s * b * h } else { 0 };
                assert_eq!(
                    found + received - after,
                    expected,
                    "{sizes:?} {layers} {sharding:?}"
                );
            }
        }
    }
}

fn is_received(node: &Node) -> bool {
    node.name.ends_with(".receive") && !node.name.contains("layers.")
}

/// With v chunks a device the first stage holds L(1 + (p − 1)/(pv)) layers' worth (the same section),
/// and a mask for each of the 2p − 1 micro-batches that have passed its first chunk.
#[test]
fn interleaved_stages_hold_more() {
    for sizes @ (s, b, h, _) in LAYERS {
        for (each, pipeline, chunks) in [(1, 2, 2), (2, 2, 3), (1, 4, 2), (1, 3, 3)] {
            let sharding = Sharding {
                pipeline,
                chunks,
                micro: 3 * pipeline,
                ..Sharding::default()
            };
            let (p, v) = (u64::from(pipeline), u64::from(chunks));
            let layers = each * p * v;
            let expected = (layers + each * (p - 1)) * layer(sizes) + (2 * p - 1) * s * b * h;
            let run = stage(sizes, layers, sharding);
            assert_eq!(
                before_backward(&run, |_| true),
                expected,
                "{sizes:?} {sharding:?}"
            );
        }
    }
}

/// What the first micro-batches show is all there is: with more of them nothing is larger.
#[test]
fn more_micro_batches_need_no_more() {
    for (pipeline, chunks) in [(1, 1), (2, 1), (4, 1), (2, 2), (4, 2)] {
        for stage_at in 0..pipeline {
            let peak = |micro| {
                let sharding = Sharding {
                    pipeline,
                    chunks,
                    micro,
                    stage: stage_at,
                    zero: 3,
                    data: 2,
                    ..Sharding::default()
                };
                let layers = u64::from(pipeline * chunks);
                let graph = sized(&classic(layers, 8, 2, 50, 16), (16, 1));
                let problem = step(&graph, recipe(sharding)).problem;
                planner::training::cost::needs(&problem, &keep_all(&problem)).peak
            };
            let few = peak(2 * pipeline);
            assert_eq!(few, peak(4 * pipeline), "{pipeline} {chunks} {stage_at}");
            assert_eq!(few, peak(16 * pipeline), "{pipeline} {chunks} {stage_at}");
        }
    }
}

/// Every micro-batch passes every chunk once in each direction, backward after forward, a chunk
/// after those before it; and the stages together are no deadlock: a slot runs once the stages
/// beside it have run theirs (brute force over all stages).
#[test]
fn schedules_can_run() {
    for pipeline in 1..=6 {
        for chunks in [1, 2, 3] {
            if pipeline == 1 && chunks > 1 {
                continue;
            }
            for micro in [pipeline, 2 * pipeline, 5 * pipeline] {
                run_all((pipeline, chunks, micro));
            }
        }
    }
}

fn run_all((pipeline, chunks, micro): (u32, u32, u32)) {
    let all: Vec<Vec<Slot>> = (0..pipeline)
        .map(|stage| {
            let own = Sharding {
                pipeline,
                chunks,
                micro,
                stage,
                ..Sharding::default()
            };
            slots(own, micro)
        })
        .collect();
    // A pass of a micro-batch through a virtual stage.
    let last = pipeline * chunks - 1;
    let mut done = std::collections::BTreeSet::new();
    let mut next = vec![0; all.len()];
    loop {
        let mut moved = false;
        for (stage, own) in (0..).zip(&all) {
            let Some(slot) = own.get(next[stage as usize]) else {
                continue;
            };
            let at = slot.chunk * pipeline + stage;
            let ready = match (slot.backward, at) {
                (false, 0) => true,
                (false, at) => done.contains(&(slot.micro, at - 1, false)),
                (true, at) if at == last => done.contains(&(slot.micro, at, false)),
                (true, at) => {
                    done.contains(&(slot.micro, at + 1, true))
                        && done.contains(&(slot.micro, at, false))
                }
            };
            if ready {
                assert!(done.insert((slot.micro, at, slot.backward)), "it runs once");
                next[stage as usize] += 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let passes = 2 * micro as usize * (last + 1) as usize;
    assert_eq!(
        done.len(),
        passes,
        "{pipeline} stages, {chunks} chunks, {micro} micro-batches"
    );
}
