//! Snapshots that Python pickled: one written by hand, and those of the generator again.

use std::path::PathBuf;
use std::process::Command;

use planner::deployed::{Arena, LaneKind, Stacks};
use planner::{Bytes, Span};
use tests::skipped::skip;
use tests::snapshot::allocator::Settings;
use tests::snapshot::{Spec, USUAL};

use super::read;

fn golden(protocol: u8) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/plans/torch");
    let path = format!("{folder}/protocol{protocol}.pickle");
    std::fs::read(path).expect("snapshot.py wrote it")
}

/// What is read from the golden file of `protocol`: the stacks, and device 0.
fn by_hand(protocol: u8) -> (Stacks, Arena) {
    let (found, warnings) = read(&golden(protocol));
    assert_eq!(warnings, [], "protocol {protocol}");
    assert_eq!(found.toolchain, "PyTorch");
    // Device 1 has nothing.
    let [arena] = <[Arena; 1]>::try_from(found.arenas).expect("one device");
    (found.stacks, arena)
}

/// The snapshot of `snapshot.py`, by hand. Event i is step i + 1, of 8 events and step 0.
/// Before the trace there are 400 bytes in 512, and 1,000 in 1,024, which are given back at
/// event 0 and free at event 1. Event 2 takes 20 MiB behind the 2 MiB; event 3 hands out
/// 3 MiB of them, event 4 gives 700 bytes the place of the 1,000. Event 5 gives the 3 MiB
/// back, but another stream still uses them at the end.
#[test]
fn blocks_and_lines_by_hand_are_read_in_every_protocol() {
    let large = 3 << 20;
    for protocol in 2..=5 {
        let (_, arena) = by_hand(protocol);
        let buffers = arena.lifetimes.buffers.iter().zip(&arena.plan.offsets);
        let buffers: Vec<_> = buffers
            .map(|(it, at)| (it.name.as_str(), it.size.0, it.payload.0, it.span, at.0))
            .collect();
        let expected = [
            ("b7f0000000000_0", 512, 400, Span::new(0, 9), 0),
            ("b7f0000000200_0", 1024, 1000, Span::new(0, 2), 512),
            ("b7f0020000000_0", large, large, Span::new(4, 9), 2 << 20),
            ("b7f0000000200_1", 1024, 700, Span::new(5, 9), 512),
        ];
        assert_eq!(buffers, expected);
        assert_eq!(arena.plan.arena, Bytes(5 << 20));
        assert_eq!(arena.plan.reserved, Some(Bytes(22 << 20)));
        let expected: [(LaneKind, &[(u64, u64)]); 4] = [
            (LaneKind::Reserved, &[(0, 2 << 20), (3, 22 << 20)]),
            (
                LaneKind::Allocated,
                &[
                    (0, 1536),
                    (1, 512),
                    (4, 512 + large),
                    (5, 1536 + large),
                    (6, 1536),
                ],
            ),
            (
                LaneKind::Active,
                &[(0, 1536), (2, 512), (4, 512 + large), (5, 1536 + large)],
            ),
            (
                LaneKind::Requested,
                &[(0, 1400), (2, 400), (4, 400 + large), (5, 1100 + large)],
            ),
        ];
        assert_eq!(arena.lanes.len(), expected.len());
        for (lane, (kind, points)) in arena.lanes.iter().zip(expected) {
            let found: Vec<_> = lane.points.iter().map(|it| (it.0.0, it.1.0)).collect();
            assert_eq!((lane.kind, found.as_slice()), (kind, points));
        }
    }
}

#[test]
fn names_and_stacks_by_hand_are_read_in_every_protocol() {
    for protocol in 2..=5 {
        let (stacks, arena) = by_hand(protocol);
        let names = &arena.lifetimes.step_names;
        assert_eq!(names[4], "alloc · forward starts");
        assert_eq!(
            names[7],
            "out of memory: 1099511627776 bytes asked for, 123456789 free on the device"
        );
        let functions = |buffer: usize| -> Vec<&str> {
            let frames = stacks.frames_of(arena.notes[buffer].stack);
            frames.map(|frame| frame.function.as_str()).collect()
        };
        assert_eq!(functions(0), ["step"]);
        // The file says who gave it back, not who asked for it.
        assert_eq!(functions(1), Vec::<&str>::new());
        let malloc = "c10::cuda::malloc(unsigned long)";
        assert_eq!(functions(3), [malloc, "linear", "step"]);
        assert_eq!(arena.notes[3].op, "linear");
        assert_eq!(arena.notes[2].role, "stream 0, pool (1, 0)");
        let file = stacks.frames_of(arena.notes[0].stack).next().unwrap();
        assert_eq!((file.file.as_str(), file.line), ("/home/k/训练.py", 41));
    }
}

/// Python reads what the generator's pickler wrote, writes it again itself, and that is read
/// as the same. Without Python on the machine the golden files have to do.
#[test]
fn python_writes_what_we_read() {
    let devices = vec![
        Settings {
            expandable: true,
            ..USUAL
        };
        2
    ];
    let made = Spec {
        kept: 2500,
        devices,
        ..Spec::of(21, 3000)
    }
    .make();
    let name = format!("arenascope-snapshot-{}", std::process::id());
    let folder: PathBuf = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder for files of the test");
    let ours = folder.join("ours.pickle");
    std::fs::write(&ours, made.bytes(4)).expect("a file of the test");
    let script = "import pickle, sys\n\
                  it = pickle.load(open(sys.argv[1], 'rb'))\n\
                  for p in range(2, 6):\n\
                  \x20   pickle.dump(it, open(sys.argv[2] + f'/{p}.pickle', 'wb'), protocol=p)\n";
    let python = Command::new("python3")
        .arg("-c")
        .arg(script)
        .arg(&ours)
        .arg(&folder)
        .output();
    if let Err(error) = &python {
        skip(&format!("python3 does not start: {error}"));
    }
    if let Ok(output) = python {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        let expected = read(&made.bytes(4));
        for protocol in 2..=5 {
            let bytes = std::fs::read(folder.join(format!("{protocol}.pickle")));
            let bytes = bytes.expect("Python wrote it");
            assert_eq!(read(&bytes), expected, "protocol {protocol}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the test's own folder");
}
