//! Padding inside the tiles of XLA's layouts.

use planner::waste::WasteKind;
use tests::deployed::{part, split};

use super::open;

/// A program whose only temporary value has `shape` in `size` bytes.
fn padding(shape: &str, size: u64) -> (i64, i64) {
    let assignment = format!(
        "BufferAssignment:\n\
         allocation 0: size {size}, preallocated-temp:\n \
         value: <1 copy.1 @0> (size={size},offset=0): {shape}\n"
    );
    let ranges = "HloLiveRange (max 2):\n  InstructionSequence:\n    0:p.1\n    1:copy.1\n  \
                  BufferLiveRange:\n    copy.1{}:1-2\n";
    let files = [
        ("a-buffer-assignment.txt", assignment.as_bytes()),
        ("a-live-range.txt", ranges.as_bytes()),
    ];
    let (deployed, _) = open(&files).expect("it is a dump");
    let waste = split(&deployed.arenas[0]);
    (
        part(&waste, WasteKind::Needed),
        part(&waste, WasteKind::Padding),
    )
}

#[test]
fn bytes_of_tiles_beyond_the_elements_are_padding() {
    // (shape, bytes of whole tiles, bytes of elements), by hand from the layout's definition.
    let cases = [
        // 1024 rows of one element, each taking 128.
        ("f32[1024,1]{1,0:T(8,128)}", 1024 * 128 * 4, 1024 * 4),
        // Rows in pairs of 16 bits: the second level repacks a tile, and adds no padding.
        ("bf16[8,100]{1,0:T(8,128)(2,1)}", 8 * 128 * 2, 8 * 100 * 2),
        ("f32[3,128]{1,0:T(4,128)}", 4 * 128 * 4, 3 * 128 * 4),
        // Four bits an element where the layout says so, a byte where it does not.
        ("s4[8,100]{1,0:T(8,128)E(4)}", 8 * 128 / 2, 8 * 100 / 2),
        ("pred[8,100]{1,0:T(8,128)}", 8 * 128, 8 * 100),
        // Without tiles nothing is known to be padding.
        ("f32[8,100]{1,0}", 3200, 3200),
    ];
    for (shape, tiles, elements) in cases {
        assert_eq!(
            padding(shape, tiles),
            (
                elements,
                i64::try_from(tiles).expect("it is small") - elements
            ),
            "{shape}"
        );
    }
}

#[test]
fn two_values_in_tiles_are_padded_together() {
    // At the step where the first is read and the second made, 1024 and 2048 elements of four
    // bytes are needed; both take 1024 rows of 128 elements.
    let assignment = "BufferAssignment:\n\
        allocation 0: size 1048576, preallocated-temp:\n \
        value: <2 copy.1 @0> (size=524288,offset=0): f32[1024,1]{1,0:T(8,128)}\n \
        value: <3 fusion.1 @0> (size=524288,offset=524288): f32[1024,2]{1,0:T(8,128)}\n";
    let ranges = "HloLiveRange (max 3):\n  InstructionSequence:\n    0:p.1\n    1:copy.1\n    \
                  2:fusion.1\n  BufferLiveRange:\n    copy.1{}:1-2\n    fusion.1{}:2-3\n";
    let files = [
        ("a-buffer-assignment.txt", assignment.as_bytes()),
        ("a-live-range.txt", ranges.as_bytes()),
    ];
    let (deployed, _) = open(&files).expect("it is a dump");
    let waste = split(&deployed.arenas[0]);
    assert_eq!(part(&waste, WasteKind::Needed), 4096 + 8192);
    assert_eq!(part(&waste, WasteKind::Padding), 1_036_288);
}
