//! Milliseconds per step: from timestamps that the device writes around what a submission has
//! of the step, or from the caller's clock around a submission of its own.

use planner::{Bytes, message};

use super::guard::Guard;
use super::parts::{Nothing, Part, Parts, Submission};
use super::{Loaded, RunError, read_back};

impl Loaded<'_> {
    /// Plays every step between timestamps.
    ///
    /// # Errors
    /// See [`RunError`].
    pub(crate) async fn timed(&mut self) -> Result<Vec<f64>, RunError> {
        let steps = self.recording.steps.len();
        let mut times = vec![0.0; steps];
        let mut parts = Parts::new(self.recording, 0..steps, &Nothing);
        let most = self.connection.compiled().pace.most();
        while let Some(submission) = parts.next(most) {
            for (step, time) in self.timed_parts(&submission).await? {
                times[step] += time;
            }
        }
        Ok(times)
    }

    /// Plays every step as a submission of its own, by the caller's clock: for devices without
    /// timestamps.
    ///
    /// # Errors
    /// See [`RunError`].
    pub(crate) async fn timed_apart(&self, clock: &dyn Fn() -> f64) -> Result<Vec<f64>, RunError> {
        let mut times = Vec::with_capacity(self.recording.steps.len());
        for step in 0..self.recording.steps.len() {
            let begun = clock();
            self.run_steps(step..step + 1, clock, async |_| ()).await?;
            times.push(clock() - begun);
        }
        Ok(times)
    }

    /// The steps of a submission with their times.
    async fn timed_parts(
        &mut self,
        submission: &Submission,
    ) -> Result<Vec<(usize, f64)>, RunError> {
        let by_step: Vec<&[Part]> = submission.parts.chunk_by(|a, b| a.step == b.step).collect();
        let Ok(count @ 1..) = u32::try_from(2 * by_step.len()) else {
            return Ok(Vec::new());
        };
        let connection = self.connection;
        let guard = Guard::new(connection);
        let device = &connection.device;
        let queries = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let size = Bytes(u64::from(count) * 8);
        let resolve = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        let read = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let resolved = self
            .ledger
            .create(device, message!("timestamps"), size, resolve);
        let staging = self
            .ledger
            .create(device, message!("timestamps: readback"), size, read);
        let mut encoder = self.encoder();
        for (parts, begin) in by_step.iter().zip((0..).step_by(2)) {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("step"),
                timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                    query_set: &queries,
                    beginning_of_pass_write_index: Some(begin),
                    end_of_pass_write_index: Some(begin + 1),
                }),
            });
            for part in *parts {
                self.play_part(&mut pass, part);
            }
        }
        encoder.resolve_query_set(&queries, 0..count, &resolved.buffer, 0);
        encoder.copy_buffer_to_buffer(&resolved.buffer, 0, &staging.buffer, 0, size.0);
        connection.queue.submit([encoder.finish()]);
        let words = read_back::words(connection, &staging.buffer).await;
        self.ledger.destroy(&resolved);
        self.ledger.destroy(&staging);
        let words = words?;
        guard.end().await?;
        let times = milliseconds(&words, connection.queue.get_timestamp_period());
        let steps = by_step.iter().filter_map(|parts| Some(parts.first()?.step));
        Ok(steps.zip(times).collect())
    }
}

/// The differences of pairs of 64-bit ticks.
fn milliseconds(words: &[u32], nanoseconds: f32) -> Vec<f64> {
    let tick = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let pair = |pair: &[u32]| {
        let ticks = tick(pair[2], pair[3]).saturating_sub(tick(pair[0], pair[1]));
        #[expect(clippy::cast_precision_loss, reason = "no step takes 2^53 ticks")]
        let ticks = ticks as f64;
        ticks * f64::from(nanoseconds) / 1e6
    };
    words.chunks_exact(4).map(pair).collect()
}
