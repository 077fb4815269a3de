//! What a device must grant: the defaults, and buffers and pictures as large as it can.

/// The request for a device of `adapter`.
pub(crate) fn descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
    let granted = adapter.limits();
    let required_limits = wgpu::Limits {
        max_storage_buffer_binding_size: granted.max_storage_buffer_binding_size,
        max_buffer_size: granted.max_buffer_size,
        max_texture_dimension_2d: granted.max_texture_dimension_2d,
        ..wgpu::Limits::default()
    };
    wgpu::DeviceDescriptor {
        label: Some("timeline"),
        required_limits,
        ..Default::default()
    }
}
