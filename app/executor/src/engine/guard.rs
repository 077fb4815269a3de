//! Error scopes around every use of the device: whatever they catch ends the run.

use super::{Connection, RunError};

/// Three scopes, one per kind of error.
pub(super) struct Guard<'a> {
    connection: &'a Connection,
    validation: wgpu::ErrorScopeGuard,
    internal: wgpu::ErrorScopeGuard,
    memory: wgpu::ErrorScopeGuard,
}

impl<'a> Guard<'a> {
    pub(super) fn new(connection: &'a Connection) -> Self {
        let scope = |filter| connection.device.push_error_scope(filter);
        Self {
            connection,
            validation: scope(wgpu::ErrorFilter::Validation),
            internal: scope(wgpu::ErrorFilter::Internal),
            memory: scope(wgpu::ErrorFilter::OutOfMemory),
        }
    }

    /// What the scopes caught, out of memory first: invalid buffers follow from it.
    pub(super) async fn end(self) -> Result<(), RunError> {
        let memory = self.memory.pop().await;
        let internal = self.internal.pop().await;
        let validation = self.validation.pop().await;
        if let Some(why) = self.connection.lost() {
            return Err(RunError::Lost(why));
        }
        if let Some(error) = memory {
            return Err(RunError::OutOfMemory(error.to_string()));
        }
        if let Some(error) = internal {
            return Err(RunError::Internal(error.to_string()));
        }
        validation.map_or(Ok(()), |error| Err(RunError::Validation(error.to_string())))
    }
}
