//! Words from the device to the CPU.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use futures_channel::oneshot;
use planner::{Message, message};

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
            // The receiver is gone only if the run has been given up.
            let _ = sender.send(mapped);
        });
    let lost = |why: String| RunError::Lost(connection.lost().unwrap_or(Message::verbatim(why)));
    let mapped = answer(connection, receiver).await?;
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

/// Answers when the queue has done what was submitted so far. A browser calls back by itself.
pub(super) fn submitted(connection: &Connection) -> oneshot::Receiver<()> {
    let (sender, receiver) = oneshot::channel();
    connection.queue.on_submitted_work_done(move || {
        let _ = sender.send(());
    });
    receiver
}

/// What the device answers, or that it has gone: not every driver answers then.
pub(super) async fn answer<T>(
    connection: &Connection,
    mut answer: oneshot::Receiver<T>,
) -> Result<T, RunError> {
    let mut end = connection.until_lost();
    let polled = connection.device.poll(wgpu::PollType::wait_indefinitely());
    polled.map_err(|error| RunError::Lost(Message::verbatim(error.to_string())))?;
    let lost = |why: Message| RunError::Lost(connection.lost().unwrap_or(why));
    poll_fn(|context| {
        if let Poll::Ready(answer) = Pin::new(&mut answer).poll(context) {
            return Poll::Ready(answer.map_err(|_canceled| lost(message!("it does not answer"))));
        }
        let gone = Pin::new(&mut end).poll(context);
        gone.map(|_| Err(lost(message!("it has gone"))))
    })
    .await
}
