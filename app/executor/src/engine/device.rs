//! A device of its own for runs, so that what goes wrong in a run stays in the run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use planner::{Message, message};

use futures_channel::oneshot;

use super::RunError;
use super::parts::Pace;
use super::pipelines::Pipelines;
use super::watching::Probes;
use crate::verify::report::Roofline;

/// A device, its queue, and what became of it.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// The adapter's description: name, vendor, backend.
    pub adapter: wgpu::AdapterInfo,
    /// Whether passes can be timed.
    pub timestamps: bool,
    fate: Arc<Mutex<Fate>>,
    compiled: Arc<Mutex<Compiled>>,
}

/// What was compiled for this device: the next run needs most of it again.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) kernels: Option<Pipelines>,
    pub(super) probes: Option<Probes>,
    /// How much work it is given at once.
    pub(super) pace: Pace,
    /// What it can do at most, once that was tried: `None` within where it cannot be measured.
    pub(super) roofline: Option<Option<Roofline>>,
}

/// What became of a device.
#[derive(Debug, Default)]
struct Fate {
    lost: Option<Message>,
    /// The first error that no scope caught.
    stray: Option<Message>,
    /// Who waits for work of the device, and would wait for ever once it has gone.
    waiting: Vec<oneshot::Sender<()>>,
}

/// Asks for an adapter, and for a device with all that it grants.
///
/// # Errors
/// [`RunError::Unavailable`] when there is none.
pub async fn connect() -> Result<Connection, RunError> {
    let unavailable = RunError::Unavailable;
    // An instance without any backend is a panic.
    if wgpu::Instance::enabled_backend_features().is_empty() {
        return Err(unavailable(message!("this program was built without one")));
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    let adapter = instance.request_adapter(&options).await;
    let adapter = adapter.map_err(|error| unavailable(Message::verbatim(error.to_string())))?;
    let timestamps = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("executor"),
        required_features: timestamps,
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let device = adapter.request_device(&descriptor).await;
    let (device, queue) =
        device.map_err(|error| unavailable(Message::verbatim(error.to_string())))?;
    Ok(Connection::of(device, queue, adapter.get_info()))
}

impl Connection {
    /// Takes a device that another part asked for.
    #[must_use]
    pub fn of(device: wgpu::Device, queue: wgpu::Queue, adapter: wgpu::AdapterInfo) -> Self {
        let fate = Arc::new(Mutex::new(Fate::default()));
        let lost = Arc::clone(&fate);
        device.set_device_lost_callback(move |reason, message| {
            let mut lost = lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.lost = Some(Message::verbatim(format!("{reason:?} {message}")));
            // Dropping the senders wakes all that wait.
            lost.waiting.clear();
        });
        let noted = Arc::clone(&fate);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            noted
                .stray
                .get_or_insert_with(|| Message::verbatim(error.to_string()));
        }));
        let timestamps = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        Self {
            device,
            queue,
            adapter,
            timestamps,
            fate,
            compiled: Arc::default(),
        }
    }

    /// Begins with submissions of this much work, in the measure of
    /// [`Dispatch::work`](crate::recording::Dispatch::work), and never has smaller ones on purpose.
    pub fn pace_from(&self, least: u64) {
        self.compiled().pace = Pace::from(least);
    }

    /// What was compiled for this device so far.
    pub(super) fn compiled(&self) -> MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The largest buffer that can be bound, in bytes.
    #[must_use]
    pub fn max_binding(&self) -> u64 {
        let limits = self.device.limits();
        // Whole words.
        limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
            & !3
    }

    /// Why the device has gone, if it has.
    pub(super) fn lost(&self) -> Option<Message> {
        let fate = self.fate.lock().unwrap_or_else(PoisonError::into_inner);
        fate.lost.clone()
    }

    /// An error that no scope caught since this was asked last.
    pub(super) fn stray(&self) -> Option<Message> {
        let mut fate = self.fate.lock().unwrap_or_else(PoisonError::into_inner);
        fate.stray.take()
    }

    /// Ends when the device goes, at once when it has gone.
    pub(super) fn until_lost(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let mut fate = self.fate.lock().unwrap_or_else(PoisonError::into_inner);
        if fate.lost.is_none() {
            fate.waiting.retain(|waiting| !waiting.is_canceled());
            fate.waiting.push(sender);
        }
        receiver
    }

    /// What the driver has reserved for this device, in bytes, where it reports it.
    #[must_use]
    pub fn reserved(&self) -> Option<u64> {
        let report = self.device.generate_allocator_report()?;
        Some(report.total_reserved_bytes)
    }
}
