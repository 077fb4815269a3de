// One number for the elements under a window.

// 0 largest, 1 mean, 2 p-norm, 3 root of the mean of squares.
override OP: u32 = 0u;

// Spatial sizes are depth, height, width; where the window is all of a channel, its pixels are
// size.z.
struct Params {
    count: u32,
    // Channels that lie next to each other: 1 where channels come before pixels.
    channels: u32,
    // 1 where the mean counts the padding.
    padding_counts: u32,
    // 1 where places are counted with the first spatial dimension fastest.
    first_fastest: u32,
    size: vec4<u32>,
    result: vec4<u32>,
    kernel: vec4<u32>,
    stride: vec4<u32>,
    dilation: vec4<u32>,
    pad: vec4<i32>,
    pad_end: vec4<i32>,
    p: f32,
    alpha: f32,
    beta: f32,
}
