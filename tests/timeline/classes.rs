//! Classes of numbers on a logarithmic scale.

use tests::random::Random;
use timeline::classes::{Classes, MOST};

#[test]
fn classes_are_as_wide_as_doublings_allow() {
    // 1..=255 has 8 doublings, one a class; 1..=256 has 9, two a class.
    let eight = Classes::new(1, 255);
    assert_eq!(eight.count(), 8);
    assert_eq!(
        [1, 2, 3, 4, 128, 255].map(|it| eight.of(it)),
        [0, 1, 1, 2, 7, 7]
    );
    assert_eq!(
        (eight.limits(0), eight.limits(7)),
        ((1, Some(2)), (128, Some(256)))
    );
    let five = Classes::new(1, 256);
    assert_eq!(five.count(), 5);
    assert_eq!(
        (five.limits(1), five.limits(4)),
        ((4, Some(16)), (256, Some(1024)))
    );
    // From 64 KiB (17 digits) to 1 MiB (21 digits).
    let bytes = Classes::new(64 << 10, 1 << 20);
    assert_eq!(bytes.limits(0), (64 << 10, Some(128 << 10)));
    // Nothing at all is a class of its own.
    let zero = Classes::new(0, 3);
    assert_eq!((zero.count(), zero.limits(0)), (3, (0, Some(1))));
    assert_eq!(Classes::new(u64::MAX, u64::MAX).limits(0), (1 << 63, None));
}

#[test]
fn every_number_lies_within_the_limits_of_its_class() {
    let mut random = Random::new(3);
    for _ in 0..20_000 {
        let mut number = || random.bits() >> random.below(64);
        let (least, most) = (number(), number());
        let (least, most) = (least.min(most), least.max(most));
        let classes = Classes::new(least, most);
        assert!((1..=MOST).contains(&classes.count()));
        assert_eq!(classes.of(least), 0);
        assert_eq!(classes.of(most), classes.count() - 1);
        let number = random.within(least, most);
        let (low, high) = classes.limits(classes.of(number));
        assert!(low <= number && high.is_none_or(|high| number < high));
    }
}
