//! The planner's own sort, beside the standard library's.

use planner::Sorting as _;

/// Pseudo-random numbers with many equal ones.
fn numbers(len: usize) -> Vec<(u64, usize)> {
    let mut state = 1_u64;
    let next = |index| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % 17, index)
    };
    (0..len).map(next).collect()
}

#[test]
fn the_order_is_the_standard_librarys_stable_one() {
    for len in [0, 1, 2, 3, 20, 21, 1000] {
        let mut ours = numbers(len);
        let mut theirs = ours.clone();
        ours.order_by_key(|it| it.0);
        theirs.sort_by_key(|it| it.0);
        assert_eq!(ours, theirs, "{len} by key");
        ours.order_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)));
        theirs.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)));
        assert_eq!(ours, theirs, "{len} backwards");
        ours.order();
        theirs.sort();
        assert_eq!(ours, theirs, "{len} by itself");
    }
}
