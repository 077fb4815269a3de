//! What is packed around files. The packed files are written by Python's gzip, zipfile and
//! tarfile (`tests/data/packed/make.py`); what has to come out is what was put in.

use miniz_oxide::deflate::compress_to_vec;
use planner::load::{
    Fault, LoadError, Loaded, MOST_UNPACKED, Member, MemberContent, Part, load_parts, unpack,
};
use tests::chinese::assert_told;
use tests::random::Random;

const PLAN: &[u8] = b"id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,80,100\nc,2,4,60,180\n";
const HALVES: [(&str, &[u8]); 2] = [
    (
        "train-buffer-assignment.txt",
        include_bytes!("../data/plans/xla/train-buffer-assignment.txt"),
    ),
    (
        "train-live-range.txt",
        include_bytes!("../data/plans/xla/train-live-range.txt"),
    ),
];

macro_rules! packed {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!("../data/packed/", $name)).as_slice(),
        )
    };
}

/// What is inside of these files; of those that are not packed, their names.
fn inside(files: &[(&str, &[u8])], most: u64) -> Result<Vec<(String, Vec<u8>)>, LoadError> {
    let owned: Vec<Vec<u8>> = files.iter().map(|(_, bytes)| bytes.to_vec()).collect();
    let parts: Vec<Part<'_>> = (files.iter().zip(&owned))
        .map(|((name, _), source)| Part { name, source })
        .collect();
    let bytes = |content| match content {
        MemberContent::Part(place) => owned[place].clone(),
        MemberContent::Unpacked(bytes) => bytes,
    };
    let members = unpack(&parts, most).inspect_err(|error| {
        assert_told(&error.place);
        assert_told(&error.message);
    })?;
    let of = |Member { name, content }| (name, bytes(content));
    Ok(members.into_iter().map(of).collect())
}

fn loaded(files: &[(&str, &[u8])]) -> Result<Loaded, LoadError> {
    let owned: Vec<Vec<u8>> = files.iter().map(|(_, bytes)| bytes.to_vec()).collect();
    let parts = files.iter().zip(&owned);
    let parts = parts.map(|((name, _), source)| Part { name, source });
    load_parts(&parts.collect::<Vec<_>>())
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[test]
fn what_was_packed_comes_out() {
    for (file, name) in [
        (packed!("plan.csv.gz"), "plan.csv"),
        (packed!("members.csv.gz"), "members.csv"),
        (packed!("stored.zip"), "plan.csv"),
    ] {
        let error = loaded(&[file]).expect_err("it is packed");
        assert_eq!(error.kind, Fault::Packed, "{error}");
        let found = inside(&[file], MOST_UNPACKED).expect("it is unpacked");
        assert_eq!(found, [(name.to_owned(), PLAN.to_vec())], "{}", file.0);
    }
}

/// Of a folder with other things in it, the two texts of one module: the same document as theirs.
#[test]
fn what_belongs_together_is_opened_together() {
    let (_, alone, _) = loaded(&HALVES).expect("a dump");
    for file in [
        packed!("dump.zip"),
        packed!("pax.tar.gz"),
        packed!("gnu.tar.gz"),
    ] {
        let found = inside(&[file], MOST_UNPACKED).expect("it is unpacked");
        let names: Vec<&str> = found.iter().map(|(name, _)| file_name(name)).collect();
        assert_eq!(names, HALVES.map(|(name, _)| name), "{}", file.0);
        // Also where the name is longer than the header has room for.
        let whole = found
            .iter()
            .all(|(name, _)| name.ends_with(file_name(name)) && name.contains('/'));
        assert!(
            whole && (file.0 == "dump.zip" || found[0].0.len() > 100),
            "{found:?}"
        );
        let parts: Vec<(&str, &[u8])> = (found.iter())
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
            .collect();
        assert_eq!(loaded(&parts).expect("a dump").1, alone, "{}", file.0);
    }
    // One half packed, the other as it is.
    let mixed = [packed!("train-live-range.txt.gz"), HALVES[0]];
    let found = inside(&mixed, MOST_UNPACKED).expect("it is unpacked");
    let plain: Vec<(&str, &[u8])> = (found.iter())
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    assert_eq!(plain, [HALVES[1], HALVES[0]]);
}

/// A tar archive of these files (POSIX.1-1988).
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        let size = format!("{:011o}", content.len());
        header[124..135].copy_from_slice(size.as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend(header);
        archive.extend(*content);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.extend([0; 1024]);
    archive
}

#[test]
fn several_documents_or_none_are_said() {
    let error = |file| inside(&[file], MOST_UNPACKED).expect_err("no one document");
    let two = error(packed!("two.zip"));
    assert_eq!(two.kind, Fault::Apart);
    assert!(
        two.message.to_string().ends_with("one.csv, other.csv"),
        "{two}"
    );
    let none = tar(&[("notes.txt", b"nothing"), ("more.bin", b"\0\0\0\0")]);
    let none = error(("none.tar", none.as_slice()));
    assert_eq!(none.kind, Fault::UnknownFormat);
    assert!(
        none.message.to_string().ends_with("notes.txt, more.bin"),
        "{none}"
    );
    let empty = error((
        "empty.zip",
        b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ));
    assert_eq!(empty.kind, Fault::UnknownFormat, "{empty}");
    assert!(
        empty.message.to_string().contains("no file is inside"),
        "{empty}"
    );
    let other = error(("x.zst", b"(\xb5\x2f\xfd and more"));
    assert_eq!(other.kind, Fault::Packed, "{other}");
}

/// The log of a run, whose message stands behind more than what tells files apart: it is found where
/// nothing else is inside, and a dump beside it is what was packed.
#[test]
fn a_message_behind_a_long_log_is_found_inside() {
    let log = "10:00:00 INFO step 7 loss 0.5\n".repeat(4_000);
    let list = "Largest program allocations in hbm:\n\n  1. Size: 1.0K\n     Shape: f32[256]\n     \
                ==========================\n";
    let message = "MPS backend out of memory (MPS allocated: 1.00 GB, other allocations: 2.00 GB, max \
                   allowed: 9.00 GB). Tried to allocate 8.00 GB on private pool.\n";
    for behind in [list, message] {
        let log = format!("{log}{behind}");
        assert!(log.len() > 64 << 10);
        let log = ("run/train.log", log.as_bytes());
        let notes = ("run/notes.txt", b"nothing".as_slice());
        let alone = tar(&[notes, log]);
        let found = inside(&[("run.tar", &alone)], MOST_UNPACKED).expect("the log");
        assert_eq!(found, [(log.0.to_owned(), log.1.to_vec())]);
        let plan = ("run/plan.csv", PLAN);
        let both = tar(&[log, plan]);
        let found = inside(&[("run.tar", &both)], MOST_UNPACKED).expect("the plan");
        assert_eq!(found, [(plan.0.to_owned(), PLAN.to_vec())]);
    }
}

/// Two snapshots come out together, the older first, so that they can be compared; three do not.
#[test]
fn two_dumps_in_an_archive_come_out_the_older_first() {
    let snapshot = include_bytes!("../data/plans/torch/protocol4.pickle").as_slice();
    let files = [("new.pickle", snapshot), ("old.pickle", snapshot)];
    let mut archive = tar(&files);
    // When each was changed, in seconds: the second one before the first.
    let second = 512 + snapshot.len().next_multiple_of(512);
    for (at, time) in [(0, "00000000200"), (second, "00000000100")] {
        let header = &mut archive[at..at + 512];
        header[136..147].copy_from_slice(time.as_bytes());
        header[148..156].fill(b' ');
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    let found = inside(&[("two.tar", &archive)], MOST_UNPACKED).expect("two dumps");
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["old.pickle", "new.pickle"]);
    let zipped = inside(&[packed!("snapshots.zip")], MOST_UNPACKED).expect("two dumps");
    let names: Vec<&str> = zipped.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["before.pickle", "after.pickle"]);
    let parts: Vec<(&str, &[u8])> = (found.iter())
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    assert_eq!(loaded(&parts).expect_err("two").kind, Fault::Dumps);
    let three = tar(&[files[0], files[1], ("third.pickle", snapshot)]);
    let error = inside(&[("three.tar", &three)], MOST_UNPACKED).expect_err("three");
    assert_eq!(error.kind, Fault::Apart, "{error}");
}

/// A gzip file of one member (RFC 1952).
fn gzip(content: &[u8], sum: u32) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    file.extend(compress_to_vec(content, 9));
    file.extend(sum.to_le_bytes());
    file.extend(u32::try_from(content.len()).expect("small").to_le_bytes());
    file
}

/// A megabyte of zeros in a thousand bytes is unpacked as far as is allowed and no further; and
/// neither is what is packed in itself again and again.
#[test]
fn bombs_do_not_go_off() {
    let zeros = gzip(&[0; 1 << 20], 0);
    assert!(zeros.len() < 2_000);
    let error = inside(&[("zeros.gz", &zeros)], 1 << 19).expect_err("too much");
    assert_eq!(error.kind, Fault::Limit, "{error}");
    let mut deep = PLAN.to_vec();
    for _ in 0..3 {
        deep = tar(&[("inner.tar", &deep)]);
    }
    assert_eq!(
        inside(&[("deep.tar", &deep)], 1 << 20).expect("3 deep")[0].1,
        PLAN
    );
    for _ in 0..2 {
        deep = tar(&[("inner.tar", &deep)]);
    }
    let error = inside(&[("deep.tar", &deep)], 1 << 20).expect_err("5 deep");
    assert_eq!(error.kind, Fault::Limit, "{error}");
    // The limit is of all together: each file of the archive is within it.
    let many: Vec<(String, [u8; 1024])> = (0..64).map(|it| (format!("{it}"), [0; 1024])).collect();
    let many: Vec<(&str, &[u8])> = many
        .iter()
        .map(|(name, it)| (name.as_str(), &it[..]))
        .collect();
    let error = inside(&[("many.tar", &tar(&many))], 65_535).expect_err("too much");
    assert_eq!(error.kind, Fault::Limit, "{error}");
}

/// The name and the comment in a gzip header (RFC 1952, flags 8 and 16) have a limit of 64 KiB
/// each: one that never ends is not read to the end of the file.
#[test]
fn names_in_gzip_headers_have_a_limit() {
    let named = |len: usize, flags: u8| {
        let mut file = gzip(PLAN, planned_sum());
        file[3] = flags;
        let name = [vec![b'n'; len], vec![0]].concat();
        for _ in 0..flags.count_ones() {
            file.splice(10..10, name.iter().copied());
        }
        inside(&[("named.gz", &file)], MOST_UNPACKED)
    };
    for flags in [8, 16, 24] {
        assert_eq!(named(65_535, flags).expect("a long name")[0].1, PLAN);
        let error = named(65_536, flags).expect_err("too long a name");
        assert_eq!(error.kind, Fault::Limit, "{error}");
    }
    let mut cut = gzip(PLAN, 0);
    cut[3] = 8;
    cut.truncate(12);
    cut[10..].fill(b'n');
    let error = inside(&[("cut.gz", &cut)], MOST_UNPACKED).expect_err("it ends in a name");
    assert_eq!(error.kind, Fault::Truncated, "{error}");
}

/// CRC-32 of [`PLAN`], bit by bit as RFC 1952 has it.
fn planned_sum() -> u32 {
    let sum = PLAN.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |rest, _| match rest & 1 {
            0 => rest >> 1,
            _ => rest >> 1 ^ 0xedb8_8320,
        })
    });
    !sum
}

/// What is damaged is never taken for whole: gzip and zip have a sum over every file.
#[test]
fn damage_is_found() {
    let mut random = Random::new(40);
    for file in [
        packed!("plan.csv.gz"),
        packed!("members.csv.gz"),
        packed!("stored.zip"),
        packed!("dump.zip"),
        packed!("gnu.tar.gz"),
    ] {
        let whole = inside(&[file], MOST_UNPACKED).expect("it is unpacked");
        let same = |found: &[(String, Vec<u8>)]| {
            let found = found.iter().map(|(_, bytes)| bytes);
            found.eq(whole.iter().map(|(_, bytes)| bytes))
        };
        for _ in 0..300 {
            let mut damaged = file.1.to_vec();
            let at = random.index(damaged.len());
            damaged[at] ^= 1 << random.index(8);
            match inside(&[(file.0, &damaged)], MOST_UNPACKED) {
                Ok(found) => assert!(
                    // Names and dates have no sum; without its first letters it is not packed.
                    same(&found) || at < 4 || file.0.ends_with("zip") && found.len() < whole.len(),
                    "{}: byte {at}",
                    file.0
                ),
                Err(error) => assert!(!error.message.is_empty()),
            }
            let cut = &file.1[..random.index(file.1.len())];
            if let Ok(found) = inside(&[(file.0, cut)], MOST_UNPACKED) {
                assert!(
                    same(&found) || cut.len() < 4,
                    "{}: {} bytes",
                    file.0,
                    cut.len()
                );
            }
        }
    }
}
