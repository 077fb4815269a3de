//! Compiled kernels, one per kernel and set of `override` constants.

use std::collections::{BTreeMap, BTreeSet};

use super::guard::Guard;
use super::{Connection, RunError};
use crate::kernels::Kernel;
use crate::recording::{Dispatch, Recording};

/// A kernel, whether its floats are of any width, and its `override` constants.
type Key = (Kernel, bool, Vec<(&'static str, u32)>);

fn key(dispatch: &Dispatch) -> Key {
    (dispatch.kernel, dispatch.is_stored(), dispatch.overrides())
}

/// The layout that all kernels share, and what was compiled for it.
#[derive(Clone, Debug)]
pub(super) struct Pipelines {
    pub(super) bindings: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    modules: BTreeMap<(Kernel, bool), wgpu::ShaderModule>,
    compiled: BTreeMap<Key, wgpu::ComputePipeline>,
}

impl Pipelines {
    fn new(device: &wgpu::Device) -> Self {
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
        let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("operands"),
            entries: &[
                entry(0, storage(false)),
                entry(1, storage(true)),
                entry(2, storage(false)),
                entry(3, uniform),
                entry(4, uniform),
            ],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("operands"),
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        Self {
            bindings,
            layout,
            modules: BTreeMap::new(),
            compiled: BTreeMap::new(),
        }
    }

    /// The pipelines of the device, compiled for all of `dispatches`.
    pub(super) fn of<'a>(
        connection: &Connection,
        dispatches: impl Iterator<Item = &'a Dispatch>,
    ) -> Self {
        let device = &connection.device;
        let mut compiled = connection.compiled();
        let pipelines = compiled.kernels.get_or_insert_with(|| Self::new(device));
        for dispatch in dispatches {
            pipelines.prepare(device, dispatch);
        }
        pipelines.clone()
    }

    /// One dispatch for each kernel of `dispatches` that is not compiled yet.
    fn missing<'a>(
        connection: &Connection,
        dispatches: impl Iterator<Item = &'a Dispatch>,
    ) -> Vec<&'a Dispatch> {
        let compiled = connection.compiled();
        let is_there = |key: &Key| {
            let kernels = compiled.kernels.as_ref();
            kernels.is_some_and(|kernels| kernels.compiled.contains_key(key))
        };
        let mut seen = BTreeSet::new();
        let all = dispatches.map(|dispatch| (key(dispatch), dispatch));
        let missing = all.filter(|(key, _)| !is_there(key) && seen.insert(key.clone()));
        missing.map(|(_, dispatch)| dispatch).collect()
    }

    /// Compiles what `dispatch` needs, unless it is there.
    fn prepare(&mut self, device: &wgpu::Device, dispatch: &Dispatch) {
        let key = key(dispatch);
        if self.compiled.contains_key(&key) {
            return;
        }
        let kernel = dispatch.kernel;
        let stored = key.1;
        let module = self.modules.entry((kernel, stored)).or_insert_with(|| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(kernel.name()),
                source: wgpu::ShaderSource::Wgsl(kernel.source(stored).into()),
            })
        });
        let constants = key.2.iter().map(|&(name, value)| (name, f64::from(value)));
        let constants: Vec<(&str, f64)> = constants.collect();
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(kernel.name()),
            layout: Some(&self.layout),
            module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                // No kernel reads shared memory that it has not written.
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        self.compiled.insert(key, pipeline);
    }

    /// The pipeline of `dispatch`, if it was prepared.
    pub(super) fn find(&self, dispatch: &Dispatch) -> Option<&wgpu::ComputePipeline> {
        self.compiled.get(&key(dispatch))
    }
}

impl Connection {
    /// One dispatch of `recording` for each of its kernels that this device has not compiled yet.
    #[must_use]
    pub fn to_compile<'r>(&self, recording: &'r Recording) -> Vec<&'r Dispatch> {
        Pipelines::missing(self, recording.dispatches())
    }

    /// Compiles the kernel of `dispatch`, and waits until that is done: a large model has
    /// hundreds, and a device that compiles them all at its first run says nothing meanwhile.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn compile(&self, dispatch: &Dispatch) -> Result<(), RunError> {
        let guard = Guard::new(self);
        Pipelines::of(self, std::iter::once(dispatch));
        let ended = guard.end().await;
        if ended.is_err() {
            // What failed to compile is no help to the next run.
            self.compiled().kernels = None;
        }
        ended
    }
}
