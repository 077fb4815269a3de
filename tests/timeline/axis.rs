//! The rulers' ticks: at exact places, with labels that say exactly where.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use tests::random::Random;
use timeline::axis::{ByteStyle, MAX_TICKS, byte_ticks, bytes_text, step_ticks};
use timeline::camera::Range;

/// The number of bytes that a label means, read independently of how it was written.
fn bytes_of(label: &str) -> f64 {
    let (number, unit) = label.split_once(' ').unwrap();
    let power = ["B", "KiB", "MiB", "GiB", "TiB"]
        .iter()
        .position(|&name| name == unit)
        .unwrap();
    number.parse::<f64>().unwrap() * 1024_f64.powi(i32::try_from(power).unwrap())
}

#[test]
fn byte_labels_are_exact_and_ticks_far_enough_apart() {
    let random = &mut Random::new(5);
    for _ in 0..2000 {
        let start = random.below(1 << (1 + random.clone().below(40))) as f64;
        let length = 1.0 + random.below(1 << (1 + random.clone().below(40))) as f64;
        let range = Range::new(start - 10.5, start + length);
        let ticks = byte_ticks(range, 600.0, 40.0, ByteStyle::Binary);
        assert!(ticks.len() <= 16, "{range:?}: {}", ticks.len());
        for tick in &ticks {
            assert!(range.start <= tick.at && tick.at <= range.end && tick.at >= 0.0);
            assert!((bytes_of(&tick.label) - tick.at).abs() < 0.5, "{tick:?}");
        }
        for pair in ticks.windows(2) {
            let apart = (pair[1].at - pair[0].at) * 600.0 / range.len();
            assert!(apart >= 40.0 - 1e-6, "{range:?}");
        }
    }
}

#[test]
fn labels_by_hand() {
    let labels = |start: f64, end: f64, style| -> Vec<String> {
        let ticks = byte_ticks(Range::new(start, end), 400.0, 100.0, style);
        ticks.into_iter().map(|tick| tick.label).collect()
    };
    let mib = 1_048_576.0;
    let binary = ByteStyle::Binary;
    assert_eq!(
        labels(0.0, mib, binary),
        ["0 MiB", "0.25 MiB", "0.5 MiB", "0.75 MiB", "1 MiB"]
    );
    assert_eq!(
        labels(0.0, 512.0, binary),
        ["0 B", "128 B", "256 B", "384 B", "512 B"]
    );
    assert_eq!(
        labels(0.0, 4096.0, ByteStyle::Hex),
        ["0x0", "0x400", "0x800", "0xc00", "0x1000"]
    );
    let steps = step_ticks(Range::new(3.0, 27.0), 240.0, 40.0);
    let steps: Vec<String> = steps.into_iter().map(|tick| tick.label).collect();
    assert_eq!(steps, ["5", "10", "15", "20", "25"]);
}

#[test]
fn no_range_makes_too_many_ticks() {
    for end in [1.0, 1e9, 1e18, 1.8e19, f64::MAX, f64::INFINITY, f64::NAN] {
        for pixels in [0.0, 1.0, 1e6, f64::NAN] {
            let range = Range::new(0.0, end);
            assert!(byte_ticks(range, pixels, 0.0, ByteStyle::Binary).len() <= MAX_TICKS);
            assert!(step_ticks(range, pixels, 50.0).len() <= MAX_TICKS);
        }
    }
}

#[test]
fn sizes_for_reading() {
    let cases = [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (9_636_864, "9.19 MiB"),
        (111_727_616, "107 MiB"),
        (64_424_509_440, "60.0 GiB"),
    ];
    for (bytes, text) in cases {
        assert_eq!(bytes_text(bytes), text);
    }
}
