//! The probes on the device: a shadow of the arena, counters, and the steps of a run between
//! probes, all in one pass per batch.

use std::collections::BTreeMap;

use planner::{Bytes, message};

use super::guard::Guard;
use super::ledger::Booked;
use super::parts::Around;
use super::{Connection, Loaded, RunError, read_back, uniforms};
use crate::recording::{UNIFORM_WORDS, WORD};
use crate::verify::probes::{Probe, ProbeParams, Use};
use crate::verify::watch::Watch;

/// Workgroups of a probe at most; its threads walk over the rest.
const GROUPS: u32 = 2048;
/// Words that a thread of a probe looks at, if the range is large enough.
const PER_THREAD: u32 = 64;

/// A watched run on the device.
#[derive(Debug)]
pub(crate) struct Watching<'a> {
    watch: &'a Watch,
    shadow: Booked,
    results: Booked,
    table: Booked,
    uniforms: Booked,
    staging: Booked,
    probes: Probes,
    bindings: wgpu::BindGroup,
    /// Length of the arena.
    words: u64,
}

/// The probes that were compiled.
#[derive(Clone, Debug)]
pub(super) struct Probes {
    layout: wgpu::BindGroupLayout,
    compiled: BTreeMap<Variant, wgpu::ComputePipeline>,
}

/// A probe as it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Variant {
    probe: Probe,
    /// [`ProbeParams::into`], where that is a constant.
    into: u32,
    /// Whether it walks over quads of words.
    quads: bool,
}

impl Variant {
    /// What a use in an arena of so many words asks for.
    fn of(used: &Use, arena: u64) -> Self {
        let walks = used.probe.walks_quads();
        let ends = [u64::from(used.params.first), arena];
        Self {
            probe: used.probe,
            into: if walks { used.params.into } else { 0 },
            quads: walks && ends.iter().all(|end| end.is_multiple_of(4)),
        }
    }
}

/// Compiles the probes of a watch, so that the time of no audit has that in it.
///
/// # Errors
/// See [`RunError`].
pub(crate) async fn compile_probes(
    connection: &Connection,
    (watch, arena): (&Watch, Bytes),
) -> Result<(), RunError> {
    let guard = Guard::new(connection);
    Probes::of(connection, watch, arena.0.max(WORD) / WORD);
    let done = guard.end().await;
    if done.is_err() {
        connection.compiled().probes = None;
    }
    done
}

impl<'a> Watching<'a> {
    /// Creates what watching needs beside the run itself.
    ///
    /// # Errors
    /// See [`RunError`].
    pub(crate) async fn new(loaded: &mut Loaded<'_>, watch: &'a Watch) -> Result<Self, RunError> {
        let uses = uniforms::size(watch.uses().count())?;
        let connection = loaded.connection;
        let guard = Guard::new(connection);
        let device = &connection.device;
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let source = storage | wgpu::BufferUsages::COPY_SRC;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let read = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let words = |count: usize| Bytes((count.max(1) as u64) * WORD);
        let size = Bytes(loaded.arena.buffer.size());
        let mut create = |label, bytes, usage| loaded.ledger.create(device, label, bytes, usage);
        let shadow = create(message!("audit: shadow of the arena"), size, storage);
        let results = create(message!("audit: counters"), words(watch.results), source);
        let table = create(
            message!("audit: declared ranges"),
            words(watch.table.len()),
            storage,
        );
        let uniforms = create(message!("audit: uniforms"), uses, uniform);
        let staging = create(message!("audit: readback"), words(watch.results), read);
        let probes = Probes::of(connection, watch, size.0 / WORD);
        let storage = [&loaded.arena, &shadow, &results, &table];
        let bindings = bind(device, &probes.layout, storage, &uniforms);
        let watching = Self {
            watch,
            shadow,
            results,
            table,
            uniforms,
            staging,
            probes,
            bindings,
            words: size.0 / WORD,
        };
        if let Err(error) = guard.end().await {
            connection.compiled().probes = None;
            watching.free(loaded);
            return Err(error);
        }
        watching.upload(connection);
        Ok(watching)
    }

    /// Destroys its buffers.
    pub(crate) fn free(&self, loaded: &mut Loaded<'_>) {
        let booked = [&self.shadow, &self.results, &self.table, &self.uniforms];
        for booked in booked.into_iter().chain([&self.staging]) {
            loaded.ledger.destroy(booked);
        }
    }

    fn upload(&self, connection: &Connection) {
        let mut bytes = Vec::new();
        for used in self.watch.uses() {
            bytes.extend_from_slice(bytemuck::bytes_of(&used.params));
            bytes.resize(
                bytes
                    .len()
                    .next_multiple_of(UNIFORM_WORDS * size_of::<u32>()),
                0,
            );
        }
        let queue = &connection.queue;
        if !bytes.is_empty() {
            queue.write_buffer(&self.uniforms.buffer, 0, &bytes);
        }
        if !self.watch.table.is_empty() {
            let table = bytemuck::cast_slice(&self.watch.table);
            queue.write_buffer(&self.table.buffer, 0, table);
        }
    }

    /// Plays all steps between their probes, and waits for their end; the probes of the start
    /// come before the first.
    ///
    /// # Errors
    /// See [`RunError`].
    pub(crate) async fn run(
        &self,
        loaded: &Loaded<'_>,
        clock: &dyn Fn() -> f64,
        done: impl AsyncFnMut(usize),
    ) -> Result<(), RunError> {
        let guard = Guard::new(loaded.connection);
        let mut encoder = loaded.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.play(&mut pass, 0, &self.watch.start);
        }
        loaded.connection.queue.submit([encoder.finish()]);
        loaded
            .play_parts(0..self.watch.steps.len(), self, clock, done)
            .await?;
        guard.end().await
    }

    fn play(&self, pass: &mut wgpu::ComputePass<'_>, number: usize, uses: &[Use]) {
        for (number, used) in (number..).zip(uses) {
            let offset = uniforms::offset(number as u64);
            // All of a watch were compiled for it.
            pass.set_pipeline(&self.probes.compiled[&Variant::of(used, self.words)]);
            pass.set_bind_group(0, &self.bindings, &[offset]);
            let groups = used.params.words.div_ceil(64 * PER_THREAD);
            pass.dispatch_workgroups(groups.clamp(1, GROUPS), 1, 1);
        }
    }

    /// The counters.
    ///
    /// # Errors
    /// See [`RunError`].
    pub(crate) async fn results(&self, loaded: &Loaded<'_>) -> Result<Vec<u32>, RunError> {
        let guard = Guard::new(loaded.connection);
        let mut encoder = loaded.encoder();
        let (from, to) = (&self.results.buffer, &self.staging.buffer);
        encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
        loaded.connection.queue.submit([encoder.finish()]);
        let words = read_back::words(loaded.connection, to).await?;
        guard.end().await?;
        Ok(words)
    }
}

impl Around for Watching<'_> {
    fn work(&self, step: usize) -> u64 {
        let around = &self.watch.steps[step];
        let uses = around.before.iter().chain(&around.after);
        // Of the arena and of its shadow.
        uses.map(|used| 2 * u64::from(used.params.words)).sum()
    }

    fn before(&self, pass: &mut wgpu::ComputePass<'_>, step: usize) {
        let around = &self.watch.steps[step];
        self.play(pass, around.number, &around.before);
    }

    fn after(&self, pass: &mut wgpu::ComputePass<'_>, step: usize) {
        let around = &self.watch.steps[step];
        self.play(pass, around.number + around.before.len(), &around.after);
    }
}

impl Probes {
    /// The probes of the device, with all that a watch over an arena of so many words needs.
    fn of(connection: &Connection, watch: &Watch, arena: u64) -> Self {
        let device = &connection.device;
        let mut compiled = connection.compiled();
        let probes = compiled.probes.get_or_insert_with(|| Self {
            layout: layout(device),
            compiled: BTreeMap::new(),
        });
        for used in watch.uses() {
            let variant = Variant::of(used, arena);
            let layout = &probes.layout;
            let compiled = &mut probes.compiled;
            compiled
                .entry(variant)
                .or_insert_with(|| pipeline(device, layout, variant));
        }
        probes.clone()
    }
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let storage = |read_only| wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Storage { read_only },
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let uniform = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: true,
        min_binding_size: None,
    };
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty,
        count: None,
    };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("probes"),
        entries: &[
            entry(0, storage(false)),
            entry(1, storage(false)),
            entry(2, storage(false)),
            entry(3, storage(true)),
            entry(4, uniform),
        ],
    })
}

fn pipeline(
    device: &wgpu::Device,
    bindings: &wgpu::BindGroupLayout,
    Variant { probe, into, quads }: Variant,
) -> wgpu::ComputePipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("probes"),
        bind_group_layouts: &[Some(bindings)],
        immediate_size: 0,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(probe.name()),
        source: wgpu::ShaderSource::Wgsl(probe.source(quads).into()),
    });
    let constants = [("INTO", f64::from(into))];
    let constants = if probe.walks_quads() {
        &constants[..]
    } else {
        &[]
    };
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(probe.name()),
        layout: Some(&layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants,
            ..Default::default()
        },
        cache: None,
    })
}

fn bind(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    storage: [&Booked; 4],
    uniforms: &Booked,
) -> wgpu::BindGroup {
    let slot = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer: &uniforms.buffer,
        offset: 0,
        size: std::num::NonZeroU64::new(size_of::<ProbeParams>() as u64),
    });
    let storage = (0..).zip(storage).map(|(binding, booked)| {
        let resource = booked.buffer.as_entire_binding();
        wgpu::BindGroupEntry { binding, resource }
    });
    let uniform = wgpu::BindGroupEntry {
        binding: 4,
        resource: slot,
    };
    let entries: Vec<_> = storage.chain([uniform]).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("probes"),
        layout,
        entries: &entries,
    })
}
