//! A plan as a memory snapshot of PyTorch, in the fields of `torch.cuda.memory._snapshot`, so that
//! pytorch.org/memory_viz and `torch.cuda._memory_viz` draw it.
//!
//! A plan that no allocator of PyTorch made has one segment, the arena, and a frame that names each
//! tensor in place of a stack; `arenascope` in the file then says that sizes are as they stand,
//! and not rounded by the allocator.

use std::collections::BTreeMap;

use super::pickle::{Known, Pickle};
use super::recording::{Event, Left, Recorded, Recording, What};
use crate::deployed::Hold;
use crate::plan::Segments;

/// The pickle.
#[must_use]
pub fn memory_viz(from: &Recorded<'_>) -> Vec<u8> {
    let mut writer = Writer {
        from,
        recording: from.recording(),
        pickle: Pickle::new(),
        stacks: BTreeMap::new(),
        frames: BTreeMap::new(),
    };
    writer.write();
    writer.pickle.finish()
}

/// The number of a device that is called "device 3"; else the first.
fn device(name: &str) -> u32 {
    let number = name.rsplit_once("device ").map(|it| it.1);
    let number = number.and_then(|it| it.parse().ok());
    number.filter(|it| *it < 1 << 10).unwrap_or(0)
}

struct Writer<'a, 'p> {
    from: &'a Recorded<'p>,
    recording: Recording,
    pickle: Pickle,
    stacks: BTreeMap<u32, Known>,
    frames: BTreeMap<u32, Known>,
}

impl Writer<'_, '_> {
    fn write(&mut self) {
        let device = device(self.from.name);
        let segments = std::mem::take(&mut self.recording.segments);
        let events = std::mem::take(&mut self.recording.events);
        let traced = self.recording.traced;
        self.dict(|it| {
            it.key("segments");
            it.list(|it| segments.iter().for_each(|left| it.segment(left, device)));
            it.key("device_traces");
            it.list(|it| {
                (0..device).for_each(|_| it.list(|_| {}));
                it.list(|it| events.iter().for_each(|event| it.event(event)));
            });
            it.key("external_annotations");
            it.list(|it| it.annotations(device));
            if let Some(segments) = &it.from.plan.segments {
                it.key("allocator_settings");
                it.settings(segments);
            }
            if !traced {
                it.key("arenascope");
                it.dict(|it| {
                    it.key("exact_sizes");
                    it.pickle.bool(true);
                });
            }
        });
    }

    fn dict(&mut self, fill: impl FnOnce(&mut Self)) {
        self.pickle.begin_dict();
        fill(self);
        self.pickle.end_dict();
    }

    fn list(&mut self, fill: impl FnOnce(&mut Self)) {
        self.pickle.begin_list();
        fill(self);
        self.pickle.end_list();
    }

    fn key(&mut self, key: &str) {
        self.pickle.text(key);
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.pickle.text(text);
    }

    fn size(&mut self, key: &str, bytes: u64) {
        self.key(key);
        self.pickle.size(bytes);
    }

    fn segment(&mut self, left: &Left, device: u32) {
        let bytes = |of: fn(&Self, usize) -> u64| {
            let blocks = left.blocks.iter();
            blocks.map(|&(_, buffer)| of(self, buffer)).sum::<u64>()
        };
        let active = bytes(|it, buffer| it.taken(buffer));
        let pending = bytes(|it, buffer| {
            if it.pends(buffer) {
                it.taken(buffer)
            } else {
                0
            }
        });
        self.dict(|it| {
            it.size("device", u64::from(device));
            it.size("address", left.address);
            it.size("total_size", left.size);
            it.size("allocated_size", active - pending);
            it.size("active_size", active);
            it.key("stream");
            it.pickle.int(left.stream);
            it.text("segment_type", if left.small { "small" } else { "large" });
            it.key("segment_pool_id");
            it.pickle.pair(left.pool);
            it.key("is_expandable");
            it.pickle.bool(left.expandable);
            it.key("frames");
            it.list(|_| {});
            it.key("blocks");
            it.list(|it| it.blocks(left));
        });
    }

    /// What is in use, and what is free between it.
    fn blocks(&mut self, left: &Left) {
        let mut next = left.address;
        for &(address, buffer) in &left.blocks {
            if address < next {
                // It shares bytes with the one before it, which the format cannot say.
                continue;
            }
            self.free(next, address - next);
            let size = self.taken(buffer);
            let payload = self
                .from
                .lifetimes
                .buffers
                .get(buffer)
                .map_or(0, |it| it.payload.0);
            let state = match self.pends(buffer) {
                true => "active_pending_free",
                false => "active_allocated",
            };
            self.dict(|it| {
                it.size("address", address);
                it.size("size", size);
                it.size("requested_size", payload);
                it.text("state", state);
                it.key("frames");
                it.stack(buffer);
            });
            next = address.saturating_add(size);
        }
        let end = left.address.saturating_add(left.size);
        self.free(next, end.saturating_sub(next));
    }

    fn free(&mut self, address: u64, size: u64) {
        if size > 0 {
            self.dict(|it| {
                it.size("address", address);
                it.size("size", size);
                it.size("requested_size", 0);
                it.text("state", "inactive");
                it.key("frames");
                it.list(|_| {});
            });
        }
    }

    fn event(&mut self, event: &Event) {
        let expandable = event.expandable;
        let action = match event.what {
            What::Alloc => "alloc",
            What::FreeRequested => "free_requested",
            What::FreeCompleted => "free_completed",
            What::Take if expandable => "segment_map",
            What::Take => "segment_alloc",
            What::Return if expandable => "segment_unmap",
            What::Return => "segment_free",
            What::OutOfMemory => "oom",
            What::Nothing => "snapshot",
        };
        let failed = event.what == What::OutOfMemory;
        self.dict(|it| {
            it.text("action", action);
            it.size(if failed { "device_free" } else { "addr" }, event.address);
            it.size("size", event.size);
            it.key("stream");
            it.pickle.int(event.stream);
            it.size("time_us", it.from.time(event.step));
            match event.what {
                What::Alloc => {
                    let said = it.said(event.of);
                    if !said.is_empty() {
                        it.text("user_metadata", &said);
                    }
                    it.key("frames");
                    it.stack(event.of);
                }
                What::OutOfMemory => {
                    let refused = it.from.refused.get(event.of);
                    let (pool, stack) = refused.map_or((None, 0), |it| (it.pool, it.stack));
                    if let Some(pool) = pool {
                        it.key("pool_id");
                        it.pickle.pair(pool);
                    }
                    it.key("frames");
                    it.known_stack(stack);
                }
                _ => {}
            }
        });
    }

    /// What the event said of itself: the role without stream and pool, which stand elsewhere.
    fn said(&self, buffer: usize) -> String {
        let Some(note) = self.from.notes.get(buffer) else {
            return String::new();
        };
        let role = note.role.as_str();
        if note.stream.is_none() {
            return role.to_owned();
        }
        let role = role.rsplit_once("pool (").map_or(role, |it| it.0);
        let role = role.trim_end_matches(", ");
        let stream = role.rsplit_once("stream ").filter(|(before, number)| {
            (before.is_empty() || before.ends_with(", ")) && !number.contains(' ')
        });
        let role = stream.map_or(role, |it| it.0);
        role.trim_end_matches(", ").to_owned()
    }

    fn taken(&self, buffer: usize) -> u64 {
        self.from
            .lifetimes
            .buffers
            .get(buffer)
            .map_or(0, |it| it.size.0)
    }

    fn pends(&self, buffer: usize) -> bool {
        let held = self.from.notes.get(buffer).and_then(|it| it.held);
        held.is_some_and(|it| {
            it.why == Hold::Pending && it.needed.end < self.from.lifetimes.horizon
        })
    }

    /// The stack of a buffer; of a plan that no allocator made a frame of its name before it.
    fn stack(&mut self, buffer: usize) {
        let stack = self.from.notes.get(buffer).map_or(0, |it| it.stack);
        if self.recording.traced {
            return self.known_stack(stack);
        }
        let maker = self.from.makers.get(buffer).filter(|it| !it.is_empty());
        let file = format!("<{}>", maker.map_or("tensor", String::as_str));
        let name = self
            .from
            .lifetimes
            .buffers
            .get(buffer)
            .map_or("", |it| it.name.as_str());
        self.list(|it| {
            it.dict(|it| {
                it.text("name", name);
                it.text("filename", &file);
                it.size("line", 0);
            });
            let frames = it.from.stacks.indices(stack);
            frames.iter().for_each(|&frame| it.frame(frame));
        });
    }

    fn known_stack(&mut self, stack: u32) {
        if let Some(&known) = self.stacks.get(&stack) {
            return self.pickle.again(known);
        }
        let frames = self.from.stacks.indices(stack);
        self.list(|it| frames.iter().for_each(|&frame| it.frame(frame)));
        let known = self.pickle.remember();
        self.stacks.insert(stack, known);
    }

    fn frame(&mut self, frame: u32) {
        if let Some(&known) = self.frames.get(&frame) {
            return self.pickle.again(known);
        }
        let Some(found) = self.from.stacks.frames.get(frame as usize) else {
            return;
        };
        self.dict(|it| {
            it.text("name", &found.function);
            it.text("filename", &found.file);
            it.size("line", u64::from(found.line));
        });
        let known = self.pickle.remember();
        self.frames.insert(frame, known);
    }

    fn annotations(&mut self, device: u32) {
        for scope in self.from.scopes {
            let ends = [("START", scope.span.start), ("END", scope.span.end)];
            for (stage, step) in ends {
                // What is open at the end was never closed.
                if stage == "END" && step >= self.from.lifetimes.horizon {
                    continue;
                }
                self.dict(|it| {
                    it.text("name", &scope.name);
                    it.text("stage", stage);
                    it.size("device", u64::from(device));
                    it.size("time_us", it.from.time(step.0));
                });
            }
        }
    }

    fn settings(&mut self, segments: &Segments) {
        let settings = segments.settings;
        self.dict(|it| {
            it.text("PYTORCH_CUDA_ALLOC_CONF", &settings.to_string());
            it.key("max_split_size");
            // No limit is the largest 64-bit number, which becomes -1.
            it.pickle
                .int(i64::try_from(settings.max_split).unwrap_or(-1));
            it.key("garbage_collection_threshold");
            it.pickle.float(f64::from(settings.collect_above) / 1e6);
            it.key("expandable_segments");
            it.pickle.bool(settings.expandable);
            it.key("roundup_power2_divisions");
            it.dict(|it| {
                for (class, parts) in settings.divisions.iter().enumerate() {
                    it.size(&(1_u64 << class).to_string(), *parts);
                }
            });
        });
    }
}
