//! What allocators hold and what they wrote down, as a snapshot's file.

use super::allocator::{Allocator, State};
use super::books::Entry;
use super::pickle::Writer;
use super::program::{FRAMES, STACKS};
use super::{Made, Spec};

/// Stacks that are written already, by number of what the pickle remembers.
#[derive(Default)]
struct Written {
    stacks: [Option<u32>; STACKS.len()],
    frames: [Option<u32>; FRAMES.len()],
}

/// One segment as the file lists it.
struct Listed {
    address: u64,
    size: u64,
    segment: usize,
    blocks: Vec<(u64, u64, State)>,
}

/// The file of `made` in `protocol`.
pub(super) fn bytes(spec: &Spec, made: &Made, protocol: u8) -> Vec<u8> {
    let mut writer = Writer::new(protocol);
    let mut written = Written::default();
    writer.dict(4);
    writer.key("segments");
    let mut segments = Vec::new();
    for (device, allocator) in made.allocators.iter().enumerate() {
        let listed = listed(allocator, spec.devices[device].expandable);
        segments.extend(listed.into_iter().map(|it| (device, it)));
    }
    writer.list(segments.len());
    for (device, segment) in &segments {
        let expandable = spec.devices[*device].expandable;
        let place = (*device, expandable);
        write_segment(
            &mut writer,
            &mut written,
            &made.allocators[*device],
            place,
            segment,
        );
    }
    writer.key("device_traces");
    writer.list(made.allocators.len());
    for (device, allocator) in made.allocators.iter().enumerate() {
        let kept = &allocator.books.entries[made.lost[device]..];
        writer.list(kept.len());
        for entry in kept {
            write_entry(&mut writer, &mut written, entry);
        }
    }
    write_settings(&mut writer, spec);
    writer.key("external_annotations");
    let said = made.allocators.iter().enumerate();
    let said: Vec<_> = said
        .flat_map(|(device, it)| it.books.said.iter().map(move |said| (device, *said)))
        .collect();
    writer.list(said.len());
    for (device, (name, stage, time)) in said {
        writer.dict(4);
        writer.key("name");
        writer.text(name);
        writer.key("stage");
        writer.text(stage);
        writer.key("device");
        writer.size(device as u64);
        writer.key("time_us");
        writer.int(time);
    }
    writer.finish()
}

/// One entry of a trace.
fn write_entry(writer: &mut Writer, written: &mut Written, entry: &Entry) {
    let framed = entry.stack > 0;
    let oom = entry.action == "oom";
    writer.dict(6 + usize::from(framed) + usize::from(entry.pool.is_some()));
    writer.key("action");
    writer.text(entry.action);
    writer.key(if oom { "device_free" } else { "addr" });
    writer.size(entry.address);
    writer.key("size");
    writer.size(entry.size);
    writer.key("stream");
    writer.int(entry.stream);
    if let Some(pool) = entry.pool {
        writer.key("pool_id");
        writer.pair(pool);
    }
    if framed {
        writer.key("frames");
        write_stack(writer, written, entry.stack);
    }
    writer.key("time_us");
    writer.int(entry.time);
    writer.key("compile_context");
    writer.text("N/A");
}

fn listed(allocator: &Allocator, expandable: bool) -> Vec<Listed> {
    let mut all: Vec<Listed> = Vec::new();
    for (&address, piece) in &allocator.pieces {
        if piece.state == State::Unmapped {
            continue;
        }
        let joined = all
            .last_mut()
            .filter(|last| last.segment == piece.segment && last.address + last.size == address);
        let last = match joined {
            Some(last) => last,
            None => {
                all.push(Listed {
                    address,
                    size: 0,
                    segment: piece.segment,
                    blocks: Vec::new(),
                });
                all.last_mut().expect("it was pushed")
            }
        };
        last.size += piece.size;
        last.blocks.push((address, piece.size, piece.state));
    }
    if !expandable {
        // The allocator lists them by stream, not by address.
        all.reverse();
    }
    all
}

fn write_segment(
    writer: &mut Writer,
    written: &mut Written,
    allocator: &Allocator,
    (device, expandable): (usize, bool),
    segment: &Listed,
) {
    let owner = allocator.owners[segment.segment];
    let blocks = segment.blocks.iter();
    let sum = |pending: bool| -> u64 {
        let used = blocks.clone().filter(|block| match block.2 {
            State::Used(_) => true,
            State::Pending(_) => pending,
            State::Free | State::Unmapped => false,
        });
        used.map(|block| block.1).sum()
    };
    writer.dict(11);
    writer.key("device");
    writer.size(device as u64);
    writer.key("address");
    writer.size(segment.address);
    writer.key("total_size");
    writer.size(segment.size);
    writer.key("allocated_size");
    writer.size(sum(false));
    writer.key("active_size");
    writer.size(sum(true));
    writer.key("stream");
    writer.int(owner.stream);
    writer.key("segment_type");
    writer.text(if owner.small { "small" } else { "large" });
    writer.key("segment_pool_id");
    writer.pair(owner.pool);
    writer.key("is_expandable");
    writer.bool(expandable);
    writer.key("frames");
    write_stack(writer, written, 0);
    writer.key("blocks");
    writer.list(segment.blocks.len());
    for &(address, size, state) in &segment.blocks {
        let (word, book) = match state {
            State::Used(book) => ("active_allocated", Some(book)),
            State::Pending(book) => ("active_pending_free", Some(book)),
            State::Free | State::Unmapped => ("inactive", None),
        };
        let taken = book.map(|book| allocator.books.taken[book]);
        writer.dict(5);
        writer.key("address");
        writer.size(address);
        writer.key("size");
        writer.size(size);
        writer.key("requested_size");
        writer.size(taken.map_or(0, |taken| taken.requested));
        writer.key("state");
        writer.text(word);
        writer.key("frames");
        write_stack(writer, written, taken.map_or(0, |taken| taken.stack));
    }
}

/// The same list for the same stack, and the same dict for the same frame.
fn write_stack(writer: &mut Writer, written: &mut Written, stack: usize) {
    if let Some(number) = written.stacks[stack] {
        return writer.again(number);
    }
    written.stacks[stack] = Some(writer.list(STACKS[stack].len()));
    for &frame in STACKS[stack] {
        if let Some(number) = written.frames[frame] {
            writer.again(number);
            continue;
        }
        let (name, file, line) = FRAMES[frame];
        written.frames[frame] = Some(writer.dict(3));
        writer.key("name");
        writer.text(name);
        writer.key("filename");
        writer.text(file);
        writer.key("line");
        writer.int(line);
    }
}

fn write_settings(writer: &mut Writer, spec: &Spec) {
    let settings = spec.devices[0];
    writer.key("allocator_settings");
    writer.dict(5);
    writer.key("PYTORCH_CUDA_ALLOC_CONF");
    writer.text("");
    writer.key("max_split_size");
    match settings.max_split {
        Some(most) => writer.size(most),
        None => writer.int(-1),
    }
    writer.key("garbage_collection_threshold");
    writer.float(settings.collect_above as f64 / 1000.0);
    writer.key("expandable_segments");
    writer.bool(settings.expandable);
    writer.key("roundup_power2_divisions");
    writer.dict(16);
    for class in 0..16 {
        writer.key(&(1_u64 << class).to_string());
        writer.size(settings.divisions);
    }
}
