//! JAX's device memory profile. The bytes are written here by the field numbers of pprof's
//! `profile.proto`, as `jax.profiler.save_device_memory_profile` fills it.

use planner::deployed::{Deployed, allocations};
use planner::load::{Fault, Format, LoadError};
use planner::waste::WasteKind;
use tests::chinese::load;
use tests::deployed::{deployed, part, split, violations};

/// A number of a field.
fn number(field: u8, value: u64) -> Vec<u8> {
    let mut bytes = vec![field << 3];
    let mut left = value;
    while left >= 0x80 {
        bytes.push(u8::try_from(left & 0x7f).expect("seven bits") | 0x80);
        left >>= 7;
    }
    bytes.push(u8::try_from(left).expect("seven bits"));
    bytes
}

/// A payload of a field.
fn inside(field: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    let payload = parts.concat();
    let mut bytes = number(field, payload.len() as u64);
    bytes[0] |= 2;
    bytes.extend(payload);
    bytes
}

const TEXTS: [&str; 13] = [
    "",
    "allocations",
    "count",
    "space",
    "bytes",
    "kind",
    "buffer",
    "device",
    "TPU_0",
    "init",
    "/a/train.py",
    "step",
    "executable",
];

/// Sample of a stack, with how many buffers and bytes, its kind, and whether it is on the device.
fn sample(locations: &[u64], values: [u64; 2], kind: u64, on_device: bool) -> Vec<u8> {
    let label = |key, text| inside(3, &[number(1, key), number(2, text)]);
    let places = locations
        .iter()
        .map(|it| number(1, *it))
        .collect::<Vec<_>>()
        .concat();
    let mut parts = vec![
        places,
        number(2, values[0]),
        number(2, values[1]),
        label(5, kind),
    ];
    if on_device {
        parts.push(label(7, 8));
    }
    inside(2, &parts)
}

/// `init` in line 12 holds 3 buffers of 96 bytes together; `step` in line 40, called from line 51
/// of no function, one of 4096; an executable has 640 bytes and no device.
fn profile(unit: u64) -> Vec<u8> {
    let types =
        [[1, 2], [3, unit]].map(|[name, unit]| inside(1, &[number(1, name), number(2, unit)]));
    let samples = [
        sample(&[1], [3, 96], 6, true),
        sample(&[2, 3], [1, 4096], 6, true),
        sample(&[2], [1, 640], 12, false),
        sample(&[1], [1, 0], 6, true),
    ];
    let location = |id, function, line| {
        inside(
            4,
            &[
                number(1, id),
                inside(4, &[number(1, function), number(2, line)]),
            ],
        )
    };
    let locations = [location(1, 1, 12), location(2, 2, 40), location(3, 3, 51)];
    let function = |id, name| inside(5, &[number(1, id), number(2, name), number(4, 10)]);
    let functions = [function(1, 9), function(2, 11), function(3, 0)];
    let texts = TEXTS.map(|text| inside(6, &[text.as_bytes().to_vec()]));
    [
        types.concat(),
        samples.concat(),
        locations.concat(),
        functions.concat(),
        texts.concat(),
    ]
    .concat()
}

#[expect(clippy::panic_in_result_fn, reason = "a test")]
fn open(bytes: Vec<u8>) -> Result<Deployed, LoadError> {
    let (format, document, _) = load(&bytes)?;
    assert_eq!(format, Format::Pprof);
    Ok(deployed(document))
}

#[test]
fn each_stack_holds_its_bytes_at_one_instant() {
    let found = open(profile(4)).expect("a profile");
    assert_eq!(found.toolchain, "JAX");
    let names: Vec<_> = found.arenas.iter().map(|it| &it.name).collect();
    assert_eq!(names, ["", "TPU_0"]);
    let arena = &found.arenas[1];
    assert!(arena.separate);
    assert_eq!(violations(arena), []);
    // The largest first; what holds nothing is left out.
    let sizes: Vec<u64> = arena.lifetimes.buffers.iter().map(|it| it.size.0).collect();
    assert_eq!(sizes, [4096, 96]);
    assert_eq!(part(&split(arena), WasteKind::Needed), 4096 + 96);
    assert_eq!(arena.lifetimes.buffers[1].name, "buffer × 3");
    let lines = |index: usize| {
        let frames = found.stacks.frames_of(arena.notes[index].stack);
        frames
            .map(|it| (it.function.clone(), it.line))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(0), [("step".to_owned(), 40), (String::new(), 51)]);
    assert_eq!(lines(1), [("init".to_owned(), 12)]);
    assert_eq!(found.arenas[0].notes[0].role, "executable");
    // Three and one, as the samples count them, though two stacks are drawn.
    assert_eq!(allocations(&arena.notes, 0..2), 4);
}

#[test]
fn other_profiles_and_broken_ones_are_refused() {
    // The second type counts something else than bytes.
    assert_eq!(
        open(profile(2)).expect_err("no bytes").kind,
        Fault::Unsupported
    );
    let whole = profile(4);
    for end in [whole.len() - 1, whole.len() / 2] {
        let error = load(&whole[..end].to_vec()).expect_err("cut off");
        assert!(
            matches!(error.kind, Fault::Truncated | Fault::Unsupported),
            "{error}"
        );
    }
}
