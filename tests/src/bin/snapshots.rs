//! Writes a generated memory snapshot of PyTorch for the page's tests and benchmarks, and
//! prints what the allocator's own books say of each device: a line with its blocks, the step
//! at which most bytes are active, and the bytes reserved, allocated, active and requested
//! then; the bytes that are never given back, and those of the parameters among them; at last a
//! share of the time, in millionths, in which another share of the steps has gone by, and the
//! steps half a hundredth of the time before and after it.
//!
//! `cargo run -p tests --bin snapshots -- EVENTS OUT.pickle [DEVICES]`, with so many events on
//! each device; the same words, the same bytes.

use std::error::Error;
use std::io::Write;

use tests::snapshot::program::SAID;
use tests::snapshot::{Made, Spec, USUAL};

/// The line of the program that allocates its parameters.
const PARAMETERS: &str = "build (model.py:12)";

/// As PyTorch writes it today.
const PROTOCOL: u8 = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (events, out, devices) = match words.as_slice() {
        [events, out] => (events, out, 1),
        [events, out, devices] => (events, out, devices.parse()?),
        _ => return Err("write EVENTS OUT.pickle [DEVICES]".into()),
    };
    let spec = Spec {
        devices: vec![USUAL; devices],
        ..Spec::of(1, events.parse()?)
    };
    let made = spec.make();
    std::fs::write(out, made.bytes(PROTOCOL))?;
    let mut out = std::io::stdout().lock();
    for device in 0..devices {
        writeln!(out, "{}", books(&made, device))?;
    }
    Ok(())
}

/// What the books say of a device.
fn books(made: &Made, device: usize) -> String {
    let blocks = made.blocks(device).len();
    let lines = made.lines(device).into_iter().enumerate();
    // The first of several.
    let highest = lines.rev().max_by_key(|(_, line)| line.active);
    let (step, line) = highest.unwrap_or_default();
    let kept = made.blocks(device).into_iter().map(|block| block.taken);
    let kept = kept.filter(|taken| taken.completed_free.is_none());
    let built = kept
        .clone()
        .filter(|taken| SAID[taken.stack].caller == PARAMETERS);
    let [kept, built] = [
        kept.map(|it| it.size).sum::<u64>(),
        built.map(|it| it.size).sum(),
    ];
    let [share, first, last] = uneven(made, device);
    format!(
        "{blocks} {step} {} {} {} {} {kept} {built} \
         {share} {first} {last}",
        line.reserved, line.allocated, line.active, line.requested
    )
}

/// Where times and steps are farthest apart.
fn uneven(made: &Made, device: usize) -> [i64; 3] {
    let entries = &made.allocators[device].books.entries[made.lost[device]..];
    let since = |event: usize| entries[event].time - entries[0].time;
    let (count, end) = (entries.len() as i64, since(entries.len() - 1));
    let apart = |event: usize| (since(event) * count - event as i64 * end).abs();
    let time = since(
        (0..entries.len())
            .max_by_key(|&event| apart(event))
            .unwrap_or_default(),
    );
    // Event i is step i + 1.
    let step = |time: i64| entries.partition_point(|it| it.time - entries[0].time <= time) as i64;
    [
        time * 1_000_000 / end,
        step(time - end / 200),
        step(time + end / 200),
    ]
}
