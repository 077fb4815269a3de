//! XProf's profiles: the modules in them. The samples are put into an `XSpace` here, by the field
//! numbers of `xplane.proto`.

use planner::load::{Fault, Format};
use tests::chinese::load;
use tests::deployed::deployed;

use super::{LOOP_PB, open};

const SCANNED_PB: (&str, &[u8]) = sample!("scanned.hlo.pb");

/// A payload of a field.
fn inside(field: u8, parts: &[&[u8]]) -> Vec<u8> {
    let payload = parts.concat();
    let mut bytes = vec![field << 3 | 2];
    let mut left = payload.len();
    while left >= 0x80 {
        bytes.push(u8::try_from(left & 0x7f).expect("seven bits") | 0x80);
        left >>= 7;
    }
    bytes.push(u8::try_from(left).expect("seven bits"));
    bytes.extend(payload);
    bytes
}

/// A profile of a host, with these modules in its plane of metadata.
fn profile(modules: &[(&str, &[u8])]) -> Vec<u8> {
    let named = |name: &str| inside(2, &[name.as_bytes()]);
    let entries = modules.iter().map(|(name, bytes)| {
        let stat = inside(5, &[&inside(6, &[bytes])]);
        let event = inside(2, &[&[0x08, 7], &named(name), &stat]);
        inside(4, &[&[0x08, 7], &event])
    });
    let entries = entries.collect::<Vec<_>>().concat();
    let host = inside(
        1,
        &[&[0x08, 1], &named("/host:CPU"), &inside(3, &[b"\x08\x01"])],
    );
    let metadata = inside(1, &[&named("/host:metadata"), &entries]);
    [host, metadata].concat()
}

#[test]
fn each_module_of_a_profile_is_as_its_dump() {
    let (alone, _) = open(&[LOOP_PB]).expect("a dump");
    let (other, _) = open(&[SCANNED_PB]).expect("a dump");
    // One module is as its dump; of two each arena says whose it is.
    let (format, document, _) = load(&profile(&[("jit_loop(1)", LOOP_PB.1)])).expect("a profile");
    assert_eq!(format, Format::Xla);
    assert_eq!(deployed(document), alone);
    let both = [("jit_loop(1)", LOOP_PB.1), ("jit_scanned(2)", SCANNED_PB.1)];
    let (_, document, _) = load(&profile(&both)).expect("a profile");
    let found = deployed(document);
    assert_eq!(found.arenas.len(), alone.arenas.len() + other.arenas.len());
    let (first, second) = found.arenas.split_at(alone.arenas.len());
    assert!(
        first
            .iter()
            .all(|it| it.name.to_string().starts_with("jit_loop(1): "))
    );
    assert_eq!(
        second[0].name,
        *format!("jit_scanned(2): {}", other.arenas[0].name)
    );
    assert_eq!(second[0].lifetimes, other.arenas[0].lifetimes);
    // Lines of the second are still its own.
    let lines = |found: &planner::deployed::Deployed, stack| {
        let frames = found.stacks.frames_of(stack);
        frames.cloned().collect::<Vec<_>>()
    };
    let pairs = second[0].notes.iter().zip(&other.arenas[0].notes);
    for (one, two) in pairs {
        assert_eq!(lines(&found, one.stack), lines(&other, two.stack));
    }
}

#[test]
fn a_profile_without_modules_is_refused() {
    let error = load(&profile(&[])).expect_err("there is no module");
    assert_eq!(error.kind, Fault::Unsupported);
    let whole = profile(&[("jit_loop(1)", LOOP_PB.1)]);
    let error = load(&whole[..whole.len() - 9].to_vec()).expect_err("cut off");
    assert_eq!(error.kind, Fault::Truncated);
}
