//! Error scopes around every use of the device: whatever they catch ends the run.

use planner::Message;

use super::{Connection, RunError};

/// Three scopes, one per kind of error. They stand in the order in which they must be popped,
/// the innermost first, because a run that ends early drops them in this order.
pub(super) struct Guard<'a> {
    connection: &'a Connection,
    memory: wgpu::ErrorScopeGuard,
    internal: wgpu::ErrorScopeGuard,
    validation: wgpu::ErrorScopeGuard,
}

impl<'a> Guard<'a> {
    pub(super) fn new(connection: &'a Connection) -> Self {
        let scope = |filter| connection.device.push_error_scope(filter);
        let validation = scope(wgpu::ErrorFilter::Validation);
        let internal = scope(wgpu::ErrorFilter::Internal);
        let memory = scope(wgpu::ErrorFilter::OutOfMemory);
        Self {
            connection,
            memory,
            internal,
            validation,
        }
    }

    /// What the scopes caught, out of memory first: invalid buffers follow from it.
    pub(super) async fn end(self) -> Result<(), RunError> {
        let memory = self.memory.pop().await;
        let internal = self.internal.pop().await;
        let validation = self.validation.pop().await;
        // Natively a device says that it has gone when it is polled.
        let _ = self.connection.device.poll(wgpu::PollType::Poll);
        if let Some(why) = self.connection.lost() {
            return Err(RunError::Lost(why));
        }
        if let Some(error) = memory {
            return Err(RunError::OutOfMemory(Message::verbatim(error.to_string())));
        }
        if let Some(error) = internal {
            return Err(RunError::Internal(Message::verbatim(error.to_string())));
        }
        let invalid = validation.map(|error| Message::verbatim(error.to_string()));
        match invalid.or_else(|| self.connection.stray()) {
            Some(why) => Err(RunError::Validation(why)),
            None => Ok(()),
        }
    }
}
