//! Words from the device to the CPU.

use futures_channel::oneshot;

use super::{Connection, RunError};

/// Waits until `buffer`, a mappable copy, holds what was submitted, and reads its words.
pub(super) async fn words(
    connection: &Connection,
    buffer: &wgpu::Buffer,
) -> Result<Vec<u32>, RunError> {
    let (sender, receiver) = oneshot::channel();
    buffer
        .slice(..)
        .map_async(wgpu::MapMode::Read, move |mapped| {
            // Nobody listens only if the run has been given up.
            let _ = sender.send(mapped);
        });
    wait(connection)?;
    let lost = |why: String| RunError::Lost(connection.lost().unwrap_or(why));
    let mapped = receiver.await.map_err(|error| lost(error.to_string()))?;
    mapped.map_err(|error| lost(error.to_string()))?;
    let words = {
        let bytes = buffer.slice(..).get_mapped_range();
        let bytes = bytes.map_err(|error| lost(error.to_string()))?;
        let word = |chunk: &[u8]| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        bytes.chunks_exact(4).map(word).collect()
    };
    buffer.unmap();
    Ok(words)
}

/// Waits until the queue has done everything. A browser calls back by itself.
pub(super) async fn done(connection: &Connection) -> Result<(), RunError> {
    let (sender, receiver) = oneshot::channel();
    connection.queue.on_submitted_work_done(move || {
        let _ = sender.send(());
    });
    wait(connection)?;
    let finished = receiver.await;
    finished.map_err(|error| RunError::Lost(connection.lost().unwrap_or(error.to_string())))
}

fn wait(connection: &Connection) -> Result<(), RunError> {
    let polled = connection.device.poll(wgpu::PollType::wait_indefinitely());
    polled
        .map(|_| ())
        .map_err(|error| RunError::Lost(error.to_string()))
}
