// y = activation(conv(x, w) + bias) where each filter sees one channel: a thread has 4 rows.

// 1 where channels lie behind pixels.
override CHANNELS_LAST: u32 = 0u;
// 1 where taps are as far apart as windows, so that the rows under the next tap are those
// under this one, moved up by one.
override ROLLING: u32 = 0u;
override BIAS: u32 = 0u;

// As in conv.wgsl; units counts threads.
struct Params {
    units: u32,
    groups: u32,
    inputs: u32,
    // Filters of a channel.
    outputs: u32,
    tiles: u32,
    pixels: u32,
    lanes: u32,
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

fn put(at: u32, y: f32, alpha: f32, beta: f32) {
    store(OUT0, at, bitcast<u32>(activated(y, alpha, beta)));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.units) { return; }
    let height = u.p.result.y;
    let width = u.p.result.z;
    let blocks = u.p.blocks;
    let filters = u.p.groups * u.p.outputs;
    // Neighbouring threads have neighbouring elements.
    var column = 0u;
    var block = 0u;
    var k = 0u;
    var image = 0u;
    if (CHANNELS_LAST == 1u) {
        k = i % filters;
        let pixel = i / filters;
        column = pixel % width;
        block = pixel / width % blocks;
        image = pixel / width / blocks;
    } else {
        column = i % width;
        let rest = i / width;
        block = rest % blocks;
        k = rest / blocks % filters;
        image = rest / blocks / filters;
    }
    let channel = k / u.p.outputs;
    let rows = block * 4u + vec4<u32>(0u, 1u, 2u, 3u);
    // Loads from a uniform are slow, so they stay out of the loops.
    let kernel = u.p.kernel;
    let dilation = u.p.dilation;
    let size = u.p.size;
    let row_stride = u.p.x_space.y;
    let column_stride = u.p.x_space.z;
    let w_tap = u.p.w_tap;
    let top = vec4<i32>(rows * u.p.stride.y) - u.p.pad.y;
    let left = i32(column * u.p.stride.z) - u.p.pad.z;
    let start = u.inputs.x + image * u.p.x_batch + channel * u.p.x_channel;
    let weight = u.inputs.y + channel * u.p.w_group + (k - channel * u.p.outputs) * u.p.w_filter;
    var sum = vec4<f32>();
    for (var kx = 0u; kx < kernel.z; kx++) {
        let x = u32(left + i32(kx * dilation.z));
        let inside = x < size.z;
        let at = start + x * column_stride;
        var w = weight + kx * w_tap;
        var y = vec4<u32>(top);
        // What is read outside of the input is not used.
        var v = vec4<f32>();
        if (ROLLING == 1u) {
            v.x = bitcast<f32>(load(IN0, at + y.x * row_stride));
            v.y = bitcast<f32>(load(IN0, at + y.y * row_stride));
            v.z = bitcast<f32>(load(IN0, at + y.z * row_stride));
            v = select(vec4<f32>(), v, (y < vec4<u32>(size.y)) & vec4<bool>(inside));
        }
        for (var ky = 0u; ky < kernel.y; ky++) {
            if (ROLLING == 1u) {
                let last = bitcast<f32>(load(IN0, at + y.w * row_stride));
                v.w = select(0.0, last, y.w < size.y && inside);
            } else {
                v = bitcast<vec4<f32>>(vec4<u32>(
                    load(IN0, at + y.x * row_stride), load(IN0, at + y.y * row_stride),
                    load(IN0, at + y.z * row_stride), load(IN0, at + y.w * row_stride)));
                v = select(vec4<f32>(), v, (y < vec4<u32>(size.y)) & vec4<bool>(inside));
            }
            sum += bitcast<f32>(load(IN1, w)) * v;
            v = vec4<f32>(v.yzw, 0.0);
            y += dilation.y;
            w += kernel.z * w_tap;
        }
    }
    if (BIAS == 1u) { sum += in2(k); }
    let row = width * u.p.y_pixel;
    let start_y = u.more.z + image * u.p.y_batch + k * u.p.y_channel;
    let y = start_y + column * u.p.y_pixel + rows * row;
    let alpha = u.p.alpha;
    let beta = u.p.beta;
    put(y.x, sum.x, alpha, beta);
    if (rows.y < height) { put(y.y, sum.y, alpha, beta); }
    if (rows.z < height) { put(y.z, sum.z, alpha, beta); }
    if (rows.w < height) { put(y.w, sum.w, alpha, beta); }
}
