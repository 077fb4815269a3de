//! Time for benchmarks: the processor's, where the system reports it, so that other programs on
//! the machine do not count.

use std::time::{Duration, Instant};

/// A moment of this process.
pub struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    /// This moment.
    #[must_use]
    pub fn now() -> Self {
        Self {
            wall: Instant::now(),
            processor: processor("self"),
        }
    }

    /// Seconds since then. The system counts the processor's time in ticks of some
    /// milliseconds, which is too coarse for short times.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let wall = self.wall.elapsed();
        if wall < Duration::from_millis(50) {
            return wall.as_secs_f64();
        }
        let worked = self.processor.zip(processor("self"));
        let worked = worked.map(|(start, now)| now.saturating_sub(start));
        worked.unwrap_or(wall).as_secs_f64()
    }
}

/// How long the first thread of `process`, a number or "self", has been on a processor.
#[must_use]
pub fn processor(process: &str) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
