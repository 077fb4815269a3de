//! References to things of a list have 32 bits: none may pass for another.

use std::panic::catch_unwind;

use planner::graph::{OpId, TensorId};
use planner::narrow;
use planner::storage::StorageId;

#[test]
fn an_index_that_32_bits_do_not_hold_is_no_other_index() {
    let last = usize::try_from(u32::MAX).unwrap();
    let made: [fn(usize) -> usize; 4] = [
        |index| TensorId::at(index).index(),
        |index| OpId::at(index).index(),
        |index| StorageId::at(index).index(),
        |index| narrow(index) as usize,
    ];
    for made in made {
        assert_eq!(made(last), last);
        assert!(catch_unwind(|| made(last + 1)).is_err());
    }
}
