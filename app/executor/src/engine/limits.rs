//! What a device can do at most, measured apart from any model: the roofline of Williams,
//! Waterman and Patterson (2009).

use planner::{Bytes, message};

use super::guard::Guard;
use super::ledger::Ledger;
use super::{Connection, RunError, read_back};
use crate::verify::report::Roofline;

/// Bytes that one pass moves: more than any cache holds, unless the device binds less.
const MOVED: u64 = 32 << 20;
/// Workgroups of 64 threads of a pass: few enough for a software device.
const GROUPS: u32 = 256;
/// Operations of a thread, see `limit_arithmetic.wgsl`.
const OPERATIONS: u64 = 8192;
/// Milliseconds that are long beside what a submission costs.
const LONG: f64 = 20.0;
/// Passes of a submission at most.
const MOST: u32 = 4096;

/// Measures a device, once; `None` where it has no memory for it, or the clock stands still.
///
/// # Errors
/// See [`RunError`].
pub(crate) async fn roofline(
    connection: &Connection,
    clock: &dyn Fn() -> f64,
) -> Result<Option<Roofline>, RunError> {
    if let Some(known) = connection.compiled().roofline {
        return Ok(known);
    }
    let found = match measured(connection, clock).await {
        Err(RunError::OutOfMemory(_)) => return Ok(None),
        found => found?,
    };
    // Whether it can be measured at all is known then too.
    connection.compiled().roofline = Some(found);
    Ok(found)
}

async fn measured(
    connection: &Connection,
    clock: &dyn Fn() -> f64,
) -> Result<Option<Roofline>, RunError> {
    let size = MOVED.min(connection.max_binding());
    let mut ledger = Ledger::default();
    let guard = Guard::new(connection);
    let usage = wgpu::BufferUsages::STORAGE;
    let memory = ledger.create(&connection.device, message!("limits"), Bytes(size), usage);
    if let Err(error) = guard.end().await {
        ledger.destroy(&memory);
        return Err(error);
    }
    let passes = |shader| Passes::new(connection, &memory.buffer, shader);
    let copy = passes(include_str!("../../shaders/limit_copy.wgsl"));
    let arithmetic = passes(include_str!("../../shaders/limit_arithmetic.wgsl"));
    let copied = copy.per_second(clock).await;
    let computed = match copied {
        Ok(Some(_)) => arithmetic.per_second(clock).await,
        _ => Ok(None),
    };
    ledger.destroy(&memory);
    let operations = u64::from(GROUPS) * 64 * OPERATIONS;
    let times = copied?.zip(computed?);
    #[expect(clippy::cast_precision_loss, reason = "both are below 2^53")]
    let found = times.map(|(copies, computations)| Roofline {
        bandwidth: copies * size as f64,
        flops: computations * operations as f64,
    });
    Ok(found)
}

/// A pass that can be repeated.
struct Passes<'a> {
    connection: &'a Connection,
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
}

impl<'a> Passes<'a> {
    fn new(connection: &'a Connection, memory: &wgpu::Buffer, shader: &'static str) -> Self {
        let device = &connection.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("limits"),
            source: wgpu::ShaderSource::Wgsl(shader.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("limits"),
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("limits"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: memory.as_entire_binding(),
            }],
        });
        Self {
            connection,
            pipeline,
            bindings,
        }
    }

    /// Passes a second, of submissions that grow until one takes long enough; the first, in
    /// which a driver may compile, does not count.
    async fn per_second(&self, clock: &dyn Fn() -> f64) -> Result<Option<f64>, RunError> {
        self.submitted(1).await?;
        let mut count = 1;
        loop {
            let begun = clock();
            self.submitted(count).await?;
            let time = clock() - begun;
            // A clock that has not gone on by now stands still.
            let still = time <= 0.0 && count > 1;
            if time >= LONG || count >= MOST || still {
                return Ok((!still).then(|| f64::from(count) / time * 1e3));
            }
            count *= 2;
        }
    }

    async fn submitted(&self, count: u32) -> Result<(), RunError> {
        let guard = Guard::new(self.connection);
        let device = &self.connection.device;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        for _ in 0..count {
            pass.dispatch_workgroups(GROUPS, 1, 1);
        }
        drop(pass);
        self.connection.queue.submit([encoder.finish()]);
        let done = read_back::submitted(self.connection);
        read_back::answer(self.connection, done).await?;
        guard.end().await
    }
}
