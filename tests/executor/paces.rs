//! Runs in parts: whatever a device's pace does, every workgroup runs once, and a submission has
//! one part at most that is not all of its grid, for there is one place to say where it begins.

use std::cell::{Cell, RefCell};

use executor::engine::parts::{Nothing, Parts};
use executor::recording::{Dispatch, RecordedStep, Recording};
use executor::verify::report::Verdict;
use executor::verify::{Machine, Question, execute};
use planner::Strategy;
use planner::load::{Source, SourceError};
use tests::confirmations::{branching, machines, question, report};
use tests::onnx_builder::{Axis, DataType, OnnxBuilder};
use tests::random::Random;
use tests::runs::{Model, gpu};
use tests::shared;
use tests::training_steps::{NETWORKS, step};

/// A dispatch of a graph with this grid, each of whose workgroups has about this much work.
fn dispatch(of: &Dispatch, grid: [u32; 3], each: u32) -> Dispatch {
    let mut made = of.clone();
    made.grid = grid;
    let groups: u32 = grid.iter().product();
    made.outputs[0].dims = vec![groups, each];
    made
}

fn small(random: &mut Random, low: u64, high: u64) -> u32 {
    u32::try_from(random.within(low, high)).unwrap()
}

fn arbitrary(random: &mut Random, of: &Dispatch) -> Recording {
    let steps = (0..random.within(1, 4)).map(|_| {
        let dispatches = (0..random.below(3)).map(|_| {
            let grid = [(1, 20), (1, 6), (1, 8)].map(|(low, high)| small(random, low, high));
            let each = 1 << (14 + 2 * random.below(3));
            dispatch(of, grid, each)
        });
        RecordedStep {
            dispatches: dispatches.collect(),
            ..RecordedStep::default()
        }
    });
    let steps = steps.collect();
    Recording {
        steps,
        ..Recording::default()
    }
}

/// Halved, kept or doubled, and never below 2^18: what a pace does after a submission.
fn next_pace(random: &mut Random, pace: u64) -> u64 {
    match random.below(10) {
        0..3 => (pace / 2).max(1 << 18),
        3..7 => pace,
        _ => pace * 2,
    }
}

#[test]
fn at_any_pace_every_workgroup_runs_once_and_one_part_of_a_grid_is_in_a_submission() {
    let model = Model::open(&branching());
    let lowered = model.lowered(&model.plan(Strategy::Best)).unwrap();
    let of = &lowered.recording.steps[0].dispatches[0];
    let mut random = Random::new(1);
    let mut partial = 0;
    for _ in 0..20_000 {
        let recording = arbitrary(&mut random, of);
        let size = |dispatch: &Dispatch| dispatch.grid.iter().product::<u32>() as usize;
        let steps = recording.steps.iter();
        let mut ran: Vec<Vec<Vec<bool>>> = steps
            .map(|step| {
                step.dispatches
                    .iter()
                    .map(|it| vec![false; size(it)])
                    .collect()
            })
            .collect();
        let mut parts = Parts::new(&recording, 0..recording.steps.len(), &Nothing);
        let mut pace = 1 << random.within(18, 24);
        let mut ended = 0;
        while let Some(submission) = parts.next(pace) {
            ended += submission.ended;
            let mut here = 0;
            for part in &submission.parts {
                let dispatch = &recording.steps[part.step].dispatches[part.dispatch];
                here += usize::from(!part.is_whole(dispatch));
                let own = &mut ran[part.step][part.dispatch];
                for [x, y, z] in groups(part.first, part.grid) {
                    let [width, height, _] = dispatch.grid;
                    let at = ((z * height + y) * width + x) as usize;
                    assert!(!std::mem::replace(&mut own[at], true), "{part:?}");
                }
            }
            assert!(here <= 1, "{here} partial grids in {submission:?}");
            partial += here;
            pace = next_pace(&mut random, pace);
        }
        assert!(parts.is_done() && ran.iter().flatten().flatten().all(|it| *it));
        assert_eq!(ended, recording.steps.len());
    }
    // The paces are such that there is something to see.
    assert!(partial > 20_000, "{partial}");
}

/// The workgroups of a box.
fn groups(first: [u32; 3], grid: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = [0, 1, 2].map(|axis| first[axis]..first[axis] + grid[axis]);
    z.flat_map(move |z| {
        let x = x.clone();
        y.clone()
            .flat_map(move |y| x.clone().map(move |x| [x, y, z]))
    })
}

/// A clock by which submissions take so long that the pace is halved, kept or doubled at will.
struct Jumping {
    now: Cell<f64>,
    random: RefCell<Random>,
}

impl Jumping {
    /// Milliseconds that halve a pace, that keep it, that double it: see `Pace::learn`.
    const JUMPS: [f64; 4] = [100.0, 100.0, 40.0, 1.0];

    fn tick(&self) -> f64 {
        let jump = self.random.borrow_mut().index(Self::JUMPS.len());
        self.now.set(self.now.get() + Self::JUMPS[jump]);
        self.now.get()
    }
}

type Files = Vec<(String, Vec<u8>)>;

/// The least work of a submission of a generated step, small enough to take its products apart,
/// and of those of others, which are larger: the least that a device comes to by itself.
const LEAST: [u64; 2] = [1 << 12, 1 << 18];

/// Name and bytes of a step with all kept, and of the same with some computed again.
type Step = [(String, Vec<u8>); 2];

/// Training steps, each with all kept and with some computed again, and how slow they are run.
fn training_steps() -> Vec<(u64, Step)> {
    let made = |network| {
        let files = [false, true]
            .map(|recompute| (format!("{network:?} {recompute}"), step(network, recompute)));
        (LEAST[0], files)
    };
    let [kept, again]: [Files; 2] =
        ["_keep.json", "_recompute.json"].map(|ending| shared::files("cases/train", ending));
    let theirs = kept.into_iter().zip(again);
    let theirs = theirs.map(|(kept, again)| (LEAST[1], [kept, again]));
    NETWORKS.map(made).into_iter().chain(theirs).collect()
}

/// Whether some grid is taken apart where submissions have about this much work.
fn comes_apart(recording: &Recording, pace: u64) -> bool {
    let mut parts = Parts::new(recording, 0..recording.steps.len(), &Nothing);
    let submissions = std::iter::from_fn(|| parts.next(pace));
    let mut all = submissions.flat_map(|it| it.parts);
    all.any(|part| !part.is_whole(&recording.steps[part.step].dispatches[part.dispatch]))
}

#[test]
fn training_steps_keep_their_bits_at_every_pace_kept_and_computed_again() {
    let Some(connection) = gpu() else { return };
    let machine = Machine::Gpu(connection.clone());
    for (least, pair) in training_steps() {
        // Those of others take long.
        let seeds = if least == LEAST[0] { 4 } else { 1 };
        let mut first = None;
        for (name, file) in pair {
            let model = Model::open(&file);
            let plan = model.plan(Strategy::OffsetsBySize);
            let lowered = model.lowered(&plan).unwrap();
            assert!(
                comes_apart(&lowered.recording, least),
                "{name} is too small"
            );
            for seed in 0..seeds {
                connection.pace_from(least);
                let clock = Jumping {
                    now: Cell::new(0.0),
                    random: RefCell::new(Random::new(seed)),
                };
                let clock = || clock.tick();
                let question = Question {
                    clock: &clock,
                    ..question(&model, &plan)
                };
                let found = pollster::block_on(execute(&machine, &question, 1)).unwrap();
                let words: Vec<Vec<u32>> = found.outputs.into_iter().map(|it| it.1).collect();
                assert!(words.iter().flatten().any(|word| *word != 0), "{name}");
                let first = first.get_or_insert_with(|| words.clone());
                assert!(*first == words, "{name} differs at pace {seed}");
            }
        }
    }
}

/// A file that is another one each time that its last byte is read: as many as there are, and
/// then the last.
struct Changing<'a> {
    files: &'a [Vec<u8>],
    read: Cell<usize>,
    /// Where the weights end.
    end: u64,
}

impl Source for Changing<'_> {
    fn len(&self) -> u64 {
        self.files[0].len() as u64
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let at = self.read.get();
        self.files[at.min(self.files.len() - 1)].read_at(start, target)?;
        if start + target.len() as u64 == self.end {
            self.read.set(at + 1);
        }
        Ok(())
    }
}

#[test]
fn a_plan_is_blamed_only_if_the_run_without_reuse_repeats_itself() {
    // Weights of 16 KiB stay in the file.
    let mut builder = OnnxBuilder::new("weights in the file", 17);
    let shape = [Axis::Fixed(8), Axis::Fixed(64)];
    let x = builder.input("x", DataType::FLOAT, &shape);
    let weights = (0..4096_u16).flat_map(|at| (f32::from(at % 7) / 64.0).to_le_bytes());
    let weights: Vec<u8> = weights.collect();
    let w = builder.bytes("w", DataType::FLOAT, &[64, 64], &weights);
    let a = builder.op("a", "MatMul", &[&x, &w], vec![]);
    let b = builder.op("b", "Tanh", &[&a], vec![]);
    let y = builder.op("y", "Abs", &[&b], vec![]);
    builder.output(&y, DataType::FLOAT, &shape);
    let model = Model::open(&builder.finish());
    let plan = model.plan(Strategy::OffsetsBySize);
    let (start, len) = model
        .lowered(&plan)
        .unwrap()
        .recording
        .uploads
        .iter()
        .find_map(|upload| match upload.origin {
            executor::recording::Origin::File { start, len } => Some((start, len)),
            _ => None,
        })
        .expect("the weights are in the file");
    let mut other = model.bytes.clone();
    for byte in &mut other[usize::try_from(start).unwrap()..][..usize::try_from(len).unwrap()] {
        *byte ^= 1;
    }
    // The run without reuse is the first that reads the weights, the planned one the second.
    let same = model.bytes.clone();
    let steady = [same.clone(), other.clone(), same.clone()];
    let unsteady = [same, other];
    for machine in machines() {
        for (files, refuted) in [(&steady[..], true), (&unsteady[..], false)] {
            let file = Changing {
                files,
                read: Cell::new(0),
                end: start + len,
            };
            let question = Question {
                file: Some(&file),
                reference: false,
                ..question(&model, &plan)
            };
            let report = report(&machine, &question).unwrap();
            assert!(report.runs.iter().all(|run| run.differing > 0));
            match &report.verdict {
                Verdict::Refuted => assert!(refuted, "{report:#?}"),
                Verdict::Incomplete(why) => {
                    assert!(
                        !refuted && why.to_string().contains("does not repeat itself"),
                        "{why}"
                    );
                }
                Verdict::Confirmed => panic!("{report:#?}"),
            }
        }
    }
}
