// Windows that slide over an input.

// 1 where there is a bias.
override BIAS: u32 = 0u;

// Spatial sizes are depth, height, width; strides are counted in elements.
struct Params {
    // batch * groups * tiles; where filters see one channel each, threads.
    units: u32,
    groups: u32,
    // Channels of one group, and filters of it.
    inputs: u32,
    outputs: u32,
    // ceil(outputs / TILE)
    tiles: u32,
    // Pixels of one output channel.
    pixels: u32,
    // Threads side by side over pixels; the rows of a workgroup are units.
    lanes: u32,
    // ceil(pixels / (4 * lanes))
    blocks: u32,
    size: vec4<u32>,
    result: vec4<u32>,
    kernel: vec4<u32>,
    stride: vec4<u32>,
    dilation: vec4<u32>,
    pad: vec4<i32>,
    x_space: vec4<u32>,
    x_batch: u32,
    x_channel: u32,
    w_group: u32,
    w_filter: u32,
    w_channel: u32,
    w_tap: u32,
    y_batch: u32,
    y_channel: u32,
    y_pixel: u32,
    alpha: f32,
    beta: f32,
}
