//! What can go wrong with a device, and with files that are too large to be read at once.

use std::cell::Cell;

use executor::engine::{Connection, RunError, uniforms};
use executor::recording::{Operand, Origin, Region, Space, Upload};
use executor::supply::Supply;
use executor::verify::report::{Phase, Progress, Report, Verdict};
use executor::verify::{Failure, Machine, Question, confirm};
use planner::graph::{Content, DType, TensorId};
use planner::load::{Source, SourceError};
use planner::{Bytes, Strategy};
use tests::chinese::assert_told;
use tests::confirmations::{branching, machines, question, report};
use tests::runs::{Model, gpu};

fn confirmed(connection: &Connection) -> bool {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    let machine = Machine::Gpu(connection.clone());
    let report = report(&machine, &question(&model, &plan));
    report.unwrap().verdict == Verdict::Confirmed
}

#[test]
fn a_device_lost_before_a_run_is_reported() {
    let Some(connection) = gpu() else { return };
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    connection.device.destroy();
    let failure = report(&Machine::Gpu(connection), &question(&model, &plan)).unwrap_err();
    assert!(
        matches!(failure, Failure::Run(RunError::Lost(_))),
        "{failure:?}"
    );
}

#[test]
fn a_device_lost_in_any_phase_of_a_run_is_reported() {
    let phases = [
        Phase::Load,
        Phase::Compile,
        Phase::Naive,
        Phase::Planned,
        Phase::Audit,
    ];
    for phase in phases {
        for done in [0, 2] {
            let Some(connection) = gpu() else { return };
            let model = Model::open(&branching());
            let plan = model.plan(Strategy::OffsetsBySize);
            let device = connection.device.clone();
            let mut on_progress = |progress: Progress| {
                if progress.phase == phase && progress.done >= done {
                    device.destroy();
                }
            };
            let now = Cell::new(0.0);
            let clock = || {
                now.set(now.get() + 100.0);
                now.get()
            };
            let question = Question {
                clock: &clock,
                ..question(&model, &plan)
            };
            let machine = Machine::Gpu(connection);
            let failure = pollster::block_on(confirm(&machine, &question, &mut on_progress));
            let lost = matches!(failure, Err(Failure::Run(RunError::Lost(_))));
            // Loading is reported only as it begins.
            assert!(lost || phase == Phase::Load && done == 2, "{failure:?}");
        }
    }
    // A new device is not troubled by the fate of the old ones.
    assert!(gpu().is_none_or(|connection| confirmed(&connection)));
}

#[test]
fn an_arena_without_memory_leaves_the_device_usable() {
    let Some(connection) = gpu() else { return };
    let model = Model::open(&branching());
    let mut plan = model.plan(Strategy::OffsetsBySize);
    // 1 GiB, or what is the most that can be bound.
    plan.arena = Bytes((1 << 30).min(connection.max_binding()));
    let machine = Machine::Gpu(connection.clone());
    match report(&machine, &question(&model, &plan)) {
        Err(Failure::Run(RunError::OutOfMemory(why))) => {
            assert!(
                why.to_string()
                    .contains(&format!("{} B of them the arena", plan.arena.0)),
                "{why}"
            );
        }
        // A GPU with memory enough: every word above the highest tensor stays untouched.
        Ok(report) => assert_eq!(report.allocated, plan.arena),
        Err(other) => panic!("{other:?}"),
    }
    assert!(confirmed(&connection));
}

/// The planned run fits, and the run without reuse needs `bytes` for each of five tensors.
fn without_room_for_no_reuse(connection: &Connection, bytes: u64) -> Report {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    let mut lifetimes = model.lifetimes.clone();
    for buffer in &mut lifetimes.buffers {
        buffer.size = Bytes(bytes);
    }
    let question = Question {
        lifetimes: &lifetimes,
        ..question(&model, &plan)
    };
    let report = report(&Machine::Gpu(connection.clone()), &question).unwrap();
    assert!(report.runs.iter().all(|run| run.differing == 0));
    assert_eq!(report.audit.as_ref().unwrap().findings, []);
    report
}

#[test]
fn a_run_without_reuse_that_does_not_fit_leaves_the_rest_of_the_report() {
    let Some(connection) = gpu() else { return };
    let limit = connection.max_binding();
    let bytes = (limit / 4) & !3;
    let refused = without_room_for_no_reuse(&connection, bytes);
    let why = refused.naive.unwrap_err().to_string();
    // Figures of both: five times a fourth is more than the limit.
    assert!(why.contains(&format!("{} B", 5 * bytes)), "{why}");
    assert!(why.contains(&format!("{limit} B")), "{why}");
    assert!(matches!(refused.verdict, Verdict::Incomplete(_)));
    let tight = without_room_for_no_reuse(&connection, (limit / 5) & !3);
    let fits = tight.verdict == Verdict::Confirmed;
    // Bound it could be; whether there is memory is up to the device.
    assert!(
        fits || tight
            .naive
            .is_err_and(|why| why.to_string().contains("no memory"))
    );
    assert!(confirmed(&connection));
}

/// A file that is only thought of: its floats follow from where they are, but for large
/// reads, which are all of one byte, to save time.
struct Imagined {
    len: u64,
    largest: Cell<usize>,
    read: Cell<u64>,
}

impl Imagined {
    fn new(len: u64) -> Self {
        Self {
            len,
            largest: Cell::new(0),
            read: Cell::new(0),
        }
    }
}

impl Source for Imagined {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let len = target.len() as u64;
        if start + len > self.len {
            return Err(SourceError::Beyond { start, len });
        }
        self.largest.set(self.largest.get().max(target.len()));
        self.read.set(self.read.get() + len);
        if target.len() > 1 << 20 {
            target.fill(63);
            return Ok(());
        }
        for (word, bytes) in (start / 4..).zip(target.chunks_exact_mut(4)) {
            let value = f32::from(u16::try_from(word % 1000).unwrap()) / 500.0 - 1.0;
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        Ok(())
    }
}

#[test]
fn two_gigabytes_of_weights_are_read_in_pieces() {
    const LEN: u64 = 2 << 30;
    let file = Imagined::new(LEN);
    let words = u32::try_from(LEN / 4).unwrap();
    let operand = Operand {
        tensor: TensorId(0),
        name: "w".into(),
        region: Region {
            space: Space::Weights(0),
            word: 0,
            words,
        },
        buffer: None,
        strides: Vec::new(),
        dims: vec![words],
        dtype: DType::F32,
        held: None,
    };
    let origin = Origin::File { start: 0, len: LEN };
    let supply = Supply {
        file: Some(&file),
        ..Supply::default()
    };
    let mut next = 0;
    let taken = supply.pieces(&Upload { operand, origin }, &mut |start, words| {
        assert_eq!(start, next, "pieces come in order and without gaps");
        next += words.len() as u64;
    });
    taken.unwrap();
    assert_eq!(next, LEN / 4);
    assert_eq!(file.read.get(), LEN);
    assert!(file.largest.get() <= 16 << 20, "{} B", file.largest.get());
}

#[test]
fn of_a_file_of_two_gigabytes_only_the_weights_are_read() {
    let mut model = Model::open(&branching());
    let start = (2 << 30) - 4000;
    for tensor in &mut model.program.graph.tensors {
        if tensor.name == "w" {
            tensor.content = Content::Range { start, len: 400 };
        }
    }
    let plan = model.plan(Strategy::OffsetsBySize);
    for machine in machines() {
        let file = Imagined::new(2 << 30);
        let question = Question {
            file: Some(&file),
            ..question(&model, &plan)
        };
        let report = report(&machine, &question).unwrap();
        assert_eq!(report.verdict, Verdict::Confirmed, "{report:#?}");
        assert_eq!((report.seeded_weights, report.weights), (0, 1));
        assert_eq!(file.largest.get(), 400);
    }
}

#[test]
fn a_file_that_ends_too_early_is_named() {
    let mut model = Model::open(&branching());
    for tensor in &mut model.program.graph.tensors {
        if tensor.name == "w" {
            let start = u64::MAX - 10;
            tensor.content = Content::Range { start, len: 400 };
        }
    }
    let plan = model.plan(Strategy::OffsetsBySize);
    for machine in machines() {
        let failure = report(&machine, &question(&model, &plan)).unwrap_err();
        let Failure::Run(RunError::Supply(error)) = failure else {
            panic!("{failure:?}");
        };
        assert_eq!(error.tensor, "w");
    }
}

/// A larger offset would be cut to 32 bits and bind what another dispatch reads.
#[test]
fn a_run_of_more_dispatches_than_offsets_reach_is_refused() {
    let most = usize::try_from(uniforms::MOST).unwrap();
    assert_eq!(uniforms::size(0).unwrap(), Bytes(256));
    assert_eq!(uniforms::size(most).unwrap(), Bytes(1 << 32));
    let failure = uniforms::size(most + 1).unwrap_err();
    assert_eq!(failure, RunError::TooLong(uniforms::MOST + 1));
    assert_told(&failure);
}
