//! A recording on the device: its buffers, its pipelines, and the ways to play it.

use std::collections::VecDeque;
use std::ops::Range;

use planner::{Bytes, Message, message};

use super::guard::Guard;
use super::ledger::Booked;
use super::parts::{Around, Nothing, Part, Parts, Submission, Walk};
use super::pipelines::Pipelines;
use super::read_back;
use super::uniforms::{self, EACH as UNIFORM_BYTES};
use super::{Connection, Ledger, RunError};
use crate::recording::{Operand, Recording, Region, Space, UNIFORM_WORDS, Upload, WORD};
use crate::supply::Supply;

/// The arena's label in the ledger.
pub(crate) const ARENA: fn() -> Message = || message!("arena");
/// Words that are uploaded in one call when a buffer is filled.
const FILL_WORDS: usize = 1 << 20;
/// Words that wait for a submission at most, but for one piece.
const PENDING_WORDS: usize = 1 << 24;

/// Bytes of the buffer that says which part of a grid runs: all of it first, then a part.
const SLICES: u64 = 2 * UNIFORM_BYTES;
/// Submissions that the device has at once: it need not wait for the next.
const IN_FLIGHT: usize = 2;

/// A recording whose buffers are on the device and whose weights are uploaded.
#[derive(Debug)]
pub struct Loaded<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) recording: &'a Recording,
    pub(crate) ledger: Ledger,
    pub(crate) arena: Booked,
    io: Booked,
    weights: Vec<Booked>,
    uniforms: Booked,
    slices: Booked,
    staging: Booked,
    pipelines: Pipelines,
    bindings: Vec<wgpu::BindGroup>,
    /// The number of the first dispatch of each step.
    starts: Vec<u64>,
}

impl<'a> Loaded<'a> {
    /// Creates the buffers, uploads the weights and compiles the kernels that are not compiled yet.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn new(
        connection: &'a Connection,
        recording: &'a Recording,
        supply: &Supply<'_>,
    ) -> Result<Self, RunError> {
        let size = uniforms::size(recording.dispatches().count())?;
        let guard = Guard::new(connection);
        let device = &connection.device;
        let mut ledger = Ledger::default();
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let both = storage | wgpu::BufferUsages::COPY_SRC;
        let arena = arena(&mut ledger, device, recording.arena);
        let io = ledger.create(
            device,
            message!("inputs and outputs"),
            bindable(recording.io),
            both,
        );
        let mut weights = Vec::new();
        for bytes in recording.weights.iter().copied().chain(nothing(recording)) {
            weights.push(ledger.create(device, message!("weights"), bindable(bytes), storage));
        }
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let uniforms = ledger.create(device, message!("uniforms"), size, uniform);
        let slices = ledger.create(device, message!("uniforms: parts"), Bytes(SLICES), uniform);
        let read = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let size = bindable(Bytes(words_of(&recording.outputs) * WORD));
        let staging = ledger.create(device, message!("readback"), size, read);
        let pipelines = Pipelines::of(connection, recording.dispatches());
        let bindings = weights
            .iter()
            .map(|weights| {
                bind(
                    device,
                    &pipelines,
                    [&arena, weights, &io],
                    [&uniforms, &slices],
                )
            })
            .collect();
        let loaded = Self {
            connection,
            recording,
            ledger,
            arena,
            io,
            weights,
            uniforms,
            slices,
            staging,
            pipelines,
            bindings,
            starts: starts(recording),
        };
        if let Err(error) = guard.end().await {
            return Err(loaded.too_much(error));
        }
        let guard = Guard::new(connection);
        loaded.upload_uniforms();
        loaded.upload(supply, Upload::is_weight)?;
        guard.end().await?;
        Ok(loaded)
    }

    /// Destroys every buffer; where there was no memory for them, says for how much.
    fn too_much(self, error: RunError) -> RunError {
        // What failed to compile is no help to the next run.
        *self.connection.compiled() = super::device::Compiled::default();
        let total = self.ledger.total().0;
        let arena = self.recording.arena.0;
        self.free();
        match error {
            RunError::OutOfMemory(why) => RunError::OutOfMemory(message!(
                "{} B, {} B of them the arena: {}",
                total,
                arena,
                why
            )),
            error => error,
        }
    }

    /// The buffers on the device.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Destroys every buffer.
    pub fn free(mut self) -> Ledger {
        let booked = [&self.arena, &self.io, &self.uniforms, &self.slices];
        let booked = booked.into_iter().chain([&self.staging]);
        for booked in booked.chain(&self.weights) {
            self.ledger.destroy(booked);
        }
        self.ledger
    }

    fn upload_uniforms(&self) {
        let uniforms = self
            .recording
            .dispatches()
            .flat_map(|dispatch| dispatch.uniform());
        let words: Vec<u32> = uniforms.collect();
        self.write(&self.uniforms, 0, &words);
        self.write(&self.slices, 0, &[0; UNIFORM_WORDS]);
    }

    /// Writes the uploads that are `wanted`.
    fn upload(&self, supply: &Supply<'_>, wanted: fn(&Upload) -> bool) -> Result<(), RunError> {
        let uploads = self.recording.uploads.iter();
        let mut pending = 0;
        for upload in uploads.filter(|upload| wanted(upload)) {
            let region = upload.operand.region;
            supply.pieces(upload, &mut |start, words| {
                let word = u64::from(region.word) + start;
                self.write(self.buffer(region.space), word, words);
                pending += words.len();
                if pending >= PENDING_WORDS {
                    pending = 0;
                    self.flush();
                }
            })?;
        }
        Ok(())
    }

    /// Lets go of the copies of what was written: natively they live until a submission.
    fn flush(&self) {
        self.connection.queue.submit([]);
        // A device that has gone says so at the end of the upload.
        let _ = self
            .connection
            .device
            .poll(wgpu::PollType::wait_indefinitely());
    }

    fn write(&self, booked: &Booked, word: u64, words: &[u32]) {
        if !words.is_empty() {
            let bytes = bytemuck::cast_slice(words);
            self.connection
                .queue
                .write_buffer(&booked.buffer, word * WORD, bytes);
        }
    }

    fn buffer(&self, space: Space) -> &Booked {
        match space {
            Space::Arena => &self.arena,
            Space::Io => &self.io,
            // There is always one weights buffer, if only to be bound.
            Space::Weights(chunk) => self.weights.get(usize::from(chunk)).unwrap_or(&self.io),
        }
    }

    /// Fills arena and io with a pattern, then writes inputs and state.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn feed(&self, pattern: u32, supply: &Supply<'_>) -> Result<(), RunError> {
        let guard = Guard::new(self.connection);
        let words = vec![pattern; FILL_WORDS];
        for booked in [&self.arena, &self.io] {
            let total = booked.buffer.size() / WORD;
            for start in (0..total).step_by(FILL_WORDS) {
                let len = usize::try_from(total - start).unwrap_or(FILL_WORDS);
                self.write(booked, start, &words[..len.min(FILL_WORDS)]);
            }
        }
        self.upload(supply, |upload| !upload.is_weight())?;
        guard.end().await
    }

    /// Writes other inputs for a run that goes on with the state that the last one left.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn feed_next(&self, supply: &Supply<'_>) -> Result<(), RunError> {
        let guard = Guard::new(self.connection);
        self.upload(supply, Upload::is_input)?;
        guard.end().await
    }

    /// Plays every step in submissions of bounded work, of which the device has two at once;
    /// calls `done` with how many more steps have ended.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn run(
        &self,
        clock: &dyn Fn() -> f64,
        done: impl AsyncFnMut(usize),
    ) -> Result<(), RunError> {
        self.run_steps(0..self.recording.steps.len(), clock, done)
            .await
    }

    /// Runs some steps.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn run_steps(
        &self,
        steps: Range<usize>,
        clock: &dyn Fn() -> f64,
        done: impl AsyncFnMut(usize),
    ) -> Result<(), RunError> {
        let guard = Guard::new(self.connection);
        self.play_parts(steps, &Nothing, clock, done).await?;
        guard.end().await
    }

    /// Plays some steps between what is around them, without a guard.
    pub(super) async fn play_parts(
        &self,
        steps: Range<usize>,
        around: &dyn Around,
        clock: &dyn Fn() -> f64,
        mut done: impl AsyncFnMut(usize),
    ) -> Result<(), RunError> {
        let mut parts = Parts::new(self.recording, steps.clone(), around);
        let mut walk = Walk::new(steps, around);
        let mut waiting = VecDeque::with_capacity(IN_FLIGHT);
        let mut begun = clock();
        let mut is_end = false;
        loop {
            if !is_end {
                let most = self.connection.compiled().pace.most();
                let next = parts.next(most);
                is_end = parts.is_done();
                if let Some(submission) = next {
                    self.submit(&submission, &mut walk, is_end);
                    waiting.push_back((submission, read_back::submitted(self.connection)));
                }
                if waiting.len() < IN_FLIGHT && !is_end {
                    continue;
                }
            }
            let Some((submission, answer)) = waiting.pop_front() else {
                return Ok(());
            };
            read_back::answer(self.connection, answer).await?;
            let now = clock();
            let took = now - begun;
            begun = now;
            self.connection.compiled().pace.learn(submission.work, took);
            if submission.ended > 0 {
                done(submission.ended).await;
            }
        }
    }

    /// Submits these parts, and at the end what is around the last steps.
    fn submit(&self, submission: &Submission, walk: &mut Walk<'_>, is_end: bool) {
        let mut encoder = self.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for part in &submission.parts {
                walk.reach(&mut pass, part.step);
                self.play_part(&mut pass, part);
            }
            if is_end {
                walk.end(&mut pass);
            }
        }
        self.connection.queue.submit([encoder.finish()]);
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        let device = &self.connection.device;
        device.create_command_encoder(&Default::default())
    }

    /// Encodes the workgroups of a part. At most one part of a submission is not whole, which
    /// [`Parts::next`] sees to: what says where it begins is written before any of them runs.
    pub(super) fn play_part(&self, pass: &mut wgpu::ComputePass<'_>, part: &Part) {
        let dispatch = &self.recording.steps[part.step].dispatches[part.dispatch];
        let Some(pipeline) = self.pipelines.find(dispatch) else {
            return;
        };
        let number = self.starts[part.step] + part.dispatch as u64;
        let slice = u64::from(!part.is_whole(dispatch));
        if slice == 1 {
            let [x, y, z] = part.first;
            // What is written is there before the next submission, and after the last.
            self.write(
                &self.slices,
                UNIFORM_WORDS as u64,
                &[x, y, z, dispatch.grid[0]],
            );
        }
        let bindings = &self.bindings[usize::from(dispatch.chunk())];
        let [x, y, z] = part.grid;
        pass.set_pipeline(pipeline);
        pass.set_bind_group(
            0,
            bindings,
            &[uniforms::offset(number), uniforms::offset(slice)],
        );
        pass.dispatch_workgroups(x, y, z);
    }

    /// The words of a region as they are now.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn read(&mut self, region: Region) -> Result<Vec<u32>, RunError> {
        if region.words == 0 {
            return Ok(Vec::new());
        }
        let guard = Guard::new(self.connection);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let size = Bytes(u64::from(region.words) * WORD);
        let device = &self.connection.device;
        let staging = self
            .ledger
            .create(device, message!("readback: tensor"), size, usage);
        let mut encoder = self.encoder();
        let (source, start) = (self.buffer(region.space), u64::from(region.word) * WORD);
        encoder.copy_buffer_to_buffer(&source.buffer, start, &staging.buffer, 0, size.0);
        self.connection.queue.submit([encoder.finish()]);
        let words = read_back::words(self.connection, &staging.buffer).await;
        self.ledger.destroy(&staging);
        let words = words?;
        guard.end().await?;
        Ok(words)
    }

    /// The words of the graph's outputs.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn outputs(&self) -> Result<Vec<Vec<u32>>, RunError> {
        let regions: Vec<Region> = self.recording.outputs.iter().map(|x| x.region).collect();
        let guard = Guard::new(self.connection);
        let mut encoder = self.encoder();
        let mut at = 0;
        for region in regions.iter().filter(|region| region.words > 0) {
            let source = &self.buffer(region.space).buffer;
            let (start, len) = (
                u64::from(region.word) * WORD,
                u64::from(region.words) * WORD,
            );
            encoder.copy_buffer_to_buffer(source, start, &self.staging.buffer, at, len);
            at += len;
        }
        self.connection.queue.submit([encoder.finish()]);
        let words = read_back::words(self.connection, &self.staging.buffer).await?;
        guard.end().await?;
        let mut rest = words.as_slice();
        let mut outputs = Vec::with_capacity(regions.len());
        for operand in &self.recording.outputs {
            let (output, after) = rest.split_at(operand.region.words as usize);
            outputs.push(operand.gathered(output));
            rest = after;
        }
        Ok(outputs)
    }
}

/// The arena, exactly as large as planned, or something to bind where there is none.
fn arena(ledger: &mut Ledger, device: &wgpu::Device, planned: Bytes) -> Booked {
    let usage =
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    if planned == Bytes::ZERO {
        return ledger.create(device, message!("placeholder"), Bytes(WORD), usage);
    }
    ledger.create(device, ARENA(), planned, usage)
}

/// The number of the first dispatch of each step.
fn starts(recording: &Recording) -> Vec<u64> {
    let mut next = 0;
    let counts = recording.steps.iter().map(|step| {
        let first = next;
        next += step.dispatches.len() as u64;
        first
    });
    counts.collect()
}

/// A binding must not be empty.
fn bindable(bytes: Bytes) -> Bytes {
    Bytes(bytes.0.max(UNIFORM_BYTES))
}

/// One empty weights buffer to bind where there are no weights.
fn nothing(recording: &Recording) -> Option<Bytes> {
    recording.weights.is_empty().then_some(Bytes::ZERO)
}

fn words_of(operands: &[Operand]) -> u64 {
    operands
        .iter()
        .map(|operand| u64::from(operand.region.words))
        .sum()
}

/// One slot of a buffer of uniforms, at a dynamic offset.
fn slot(booked: &Booked) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer: &booked.buffer,
        offset: 0,
        size: std::num::NonZeroU64::new(UNIFORM_BYTES),
    })
}

fn bind(
    device: &wgpu::Device,
    pipelines: &Pipelines,
    storage: [&Booked; 3],
    uniforms: [&Booked; 2],
) -> wgpu::BindGroup {
    let [arena, weights, io] = storage;
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("operands"),
        layout: &pipelines.bindings,
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: arena.buffer.as_entire_binding(),
            },
            wgpu::BindGroupEntry {
                binding: 1,
                resource: weights.buffer.as_entire_binding(),
            },
            wgpu::BindGroupEntry {
                binding: 2,
                resource: io.buffer.as_entire_binding(),
            },
            wgpu::BindGroupEntry {
                binding: 3,
                resource: slot(uniforms[0]),
            },
            wgpu::BindGroupEntry {
                binding: 4,
                resource: slot(uniforms[1]),
            },
        ],
    })
}
