//! Snapshots that Python pickled: one written by hand, and those of the generator again.

use std::path::PathBuf;
use std::process::Command;

use planner::deployed::LaneKind;
use planner::units::{Bytes, Offset, Span, Step};
use tests::snapshot::allocator::Settings;
use tests::snapshot::{Spec, USUAL};

use super::read;

fn golden(protocol: u8) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/plans/torch");
    let path = format!("{folder}/protocol{protocol}.pickle");
    std::fs::read(path).expect("snapshot.py wrote it")
}

/// The snapshot of `snapshot.py`, by hand. Event i is step i + 1, of 8 events and step 0.
/// Before the trace there are 400 bytes in 512, and 1,000 in 1,024, which are given back at
/// event 0 and free at event 1. Event 2 takes 20 MiB behind the 2 MiB; event 3 hands out
/// 3 MiB of them, event 4 gives 700 bytes the place of the 1,000. Event 5 gives the 3 MiB
/// back, but another stream still uses them at the end.
#[test]
fn a_snapshot_by_hand_is_read_in_every_protocol() {
    for protocol in 2..=5 {
        let (found, warnings) = read(&golden(protocol));
        assert_eq!(warnings, [], "protocol {protocol}");
        assert_eq!(found.toolchain, "PyTorch");
        let [arena] = found.arenas.as_slice() else {
            panic!("device 1 has nothing");
        };
        let buffers = arena.lifetimes.buffers.iter().zip(&arena.plan.offsets);
        let buffers: Vec<_> = buffers
            .map(|(it, offset)| (it.name.as_str(), it.size.0, it.payload.0, it.span, *offset))
            .collect();
        let expected = [
            ("b7f0000000000_0", 512, 400, Span::new(0, 9), Offset(0)),
            ("b7f0000000200_0", 1024, 1000, Span::new(0, 2), Offset(512)),
            (
                "b7f0020000000_0",
                3 << 20,
                3 << 20,
                Span::new(4, 9),
                Offset(2 << 20),
            ),
            ("b7f0000000200_1", 1024, 700, Span::new(5, 9), Offset(512)),
        ];
        assert_eq!(buffers, expected);
        assert_eq!(arena.plan.arena, Bytes(5 << 20));
        let lanes = arena
            .lanes
            .iter()
            .map(|lane| (lane.kind, lane.points.as_slice()));
        let lanes: Vec<_> = lanes.collect();
        let points = |points: &[(u64, u64)]| -> Vec<_> {
            points.iter().map(|it| (Step(it.0), Bytes(it.1))).collect()
        };
        let large = 3 << 20;
        let expected = [
            (LaneKind::Reserved, points(&[(0, 2 << 20), (3, 22 << 20)])),
            (
                LaneKind::Allocated,
                points(&[
                    (0, 1536),
                    (1, 512),
                    (4, 512 + large),
                    (5, 1536 + large),
                    (6, 1536),
                ]),
            ),
            (
                LaneKind::Active,
                points(&[(0, 1536), (2, 512), (4, 512 + large), (5, 1536 + large)]),
            ),
            (
                LaneKind::Requested,
                points(&[(0, 1400), (2, 400), (4, 400 + large), (5, 1100 + large)]),
            ),
        ];
        let expected: Vec<_> = expected.iter().map(|it| (it.0, it.1.as_slice())).collect();
        assert_eq!(lanes, expected);
        let names = &arena.lifetimes.step_names;
        assert_eq!(names[4], "alloc · forward starts");
        assert_eq!(
            names[7],
            "out of memory: 1099511627776 bytes asked for, 123456789 free on the device"
        );
        let functions = |buffer: usize| -> Vec<&str> {
            let frames = arena.notes[buffer].frames.iter();
            frames
                .map(|&it| found.frames[it as usize].function.as_str())
                .collect()
        };
        assert_eq!(functions(0), ["step"]);
        // The file says who gave it back, not who asked for it.
        assert_eq!(functions(1), Vec::<&str>::new());
        assert_eq!(
            functions(3),
            ["c10::cuda::malloc(unsigned long)", "linear", "step"]
        );
        assert_eq!(arena.notes[3].op, "linear");
        assert_eq!(arena.notes[2].role, "stream 0, pool (1, 0)");
        let file = &found.frames[arena.notes[0].frames[0] as usize];
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
