//! What copies take.

use planner::Bytes;
use planner::training::devices::DEVICES;
use planner::training::{Lane, Link};

#[test]
fn a_copy_takes_latency_and_its_bytes_rounded_up() {
    let lane = Lane {
        bytes: 3,
        cost: 2,
        latency: 5,
    };
    // 0 bytes 5; 1 byte 2/3, so 1; 3 bytes 2; 4 bytes 8/3, so 3.
    let times = [0, 1, 3, 4].map(|bytes| lane.time(Bytes(bytes)));
    assert_eq!(times, [Some(5), Some(6), Some(7), Some(8)]);
    assert_eq!(Lane::ENDLESS.time(Bytes(u64::MAX)), Some(0));
    assert_eq!(Lane::NONE.time(Bytes(1)), None);
    assert_eq!(Link::NONE.times(Bytes(0)), None);
    // 2⁶⁴ − 1 bytes at a byte in 2 units are beyond 64 bits, and so is one unit more than all.
    let slow = Lane { bytes: 1, ..lane };
    assert_eq!(slow.time(Bytes(u64::MAX)), None);
    let late = Lane {
        bytes: 1,
        cost: 1,
        latency: 1,
    };
    assert_eq!(late.time(Bytes(u64::MAX)), None);
    assert_eq!(late.time(Bytes(u64::MAX - 1)), Some(u64::MAX));
}

/// A cost counts a multiplication with its addition, which are two operations: in a second a V100
/// computes a cost of 15,700e9 / 2 = 7.85e12 and moves 15.75e9 bytes, so that 1 MiB takes
/// 1,048,576 × 7.85e12 / 15.75e9 = 522,623,593.65 units.
#[test]
fn a_device_says_what_its_link_takes() {
    let named = DEVICES.iter().find(|it| it.name == "V100 32 GB");
    let link = named.expect("a device").device.swaps_over();
    let time = 522_623_594;
    assert_eq!(link.times(Bytes(1 << 20)), Some((time, time)));
}
