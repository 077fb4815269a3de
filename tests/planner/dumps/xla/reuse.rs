//! Arguments that are written over and hold little, while a temporary value of their size lives.

use planner::deployed::TotalKind;
use tests::shared;
use tests::skipped::skip;

use super::open;

/// A donated argument of 4096 bytes that holds four bytes of a counter from step 2 to 7, while `big`
/// of 4096 bytes lies among the temporary values; `other` is there at the same time.
fn found(counter: u64, last: u64) -> (Option<u64>, Vec<String>) {
    let end = 4096 + 512;
    let assignment = format!(
        "BufferAssignment:\n\
         allocation 0: size 4096, parameter 0, shape |f32[1024]| at ShapeIndex {{}}, maybe-live-out:\n \
         value: <1 p.1 @0> (size=4096,offset=0): f32[1024]{{0}}\n \
         value: <2 count.1 @0> (size={counter},offset=0): u8[{counter}]{{0}}\n \
         value: <5 sum.1 @0> (size=4096,offset=0): f32[1024]{{0}}\n\
         allocation 1: size {end}, preallocated-temp:\n \
         value: <3 big.1 @0> (size=4096,offset=0): f32[1024]{{0}}\n \
         value: <4 other.1 @0> (size=512,offset=4096): f32[128]{{0}}\n"
    );
    let ranges = format!(
        "HloLiveRange (max 9):\n  InstructionSequence:\n    0:p.1\n    1:big.1\n    2:count.1\n    \
         3:other.1\n    4:a.1\n    5:b.1\n    6:c.1\n    7:d.1\n    8:sum.1\n  BufferLiveRange:\n    \
         p.1{{}}:0-1\n    count.1{{}}:2-{last}\n    big.1{{}}:1-8\n    other.1{{}}:3-6\n    \
         sum.1{{}}:8-9\n"
    );
    let files = [("a", assignment.as_bytes()), ("b", ranges.as_bytes())];
    let (found, warnings) = open(&files).expect("a dump");
    let total = found
        .totals
        .iter()
        .find(|it| it.kind == TotalKind::Reusable);
    let said = warnings
        .into_iter()
        .filter(|it| it.message.to_string().contains("would fit there"));
    (
        total.map(|it| it.bytes.0),
        said.map(|it| it.message.to_string()).collect(),
    )
}

/// 4096 + 512 bytes are temporary at the peak; with `big` in the argument 512 are, and the four of
/// the counter: 4092 less.
#[test]
fn a_temporary_value_fits_into_an_argument_that_holds_little() {
    let (bytes, said) = found(4, 7);
    assert_eq!(bytes, Some(4092));
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("at most 4 of its 4096 bytes"), "{said:?}");
    assert!(said[0].contains("big.1"), "{said:?}");
    // What holds more than half of it is no little.
    assert_eq!(found(2049, 7), (None, Vec::new()));
    assert_eq!(found(2048, 7).0, Some(2048));
}

/// The outsider's program: an argument of 4 MiB is read by `wrapped_exponential` and written by
/// `broadcast_add_fusion`; between these a counter of a loop lies in it, four bytes at a time. XLA
/// put the 4 MiB of the exponential beside.
#[test]
fn an_outsiders_donated_argument_is_found() {
    let files = shared::files("cases", ".hlo.pb");
    let Some((name, bytes)) = files.iter().find(|it| it.0.starts_with("module_0000")) else {
        return skip("no module_0000 is beside the checkout");
    };
    let (found, warnings) = open(&[(name, bytes)]).expect("a dump");
    let total = found
        .totals
        .iter()
        .find(|it| it.kind == TotalKind::Reusable);
    let bytes = total.expect("it is found").bytes.0;
    assert_eq!(bytes, 4_194_304 - 4);
    let said = warnings
        .iter()
        .find(|it| it.message.to_string().contains("would fit there"));
    let said = said.expect("it is said");
    assert!(said.place.to_string().contains("parameter 0"), "{said:?}");
    assert!(
        said.message.to_string().contains("wrapped_exponential"),
        "{said:?}"
    );
}
