// y = activation(conv(x, w) + bias) where each filter sees one channel: a thread has 8 rows.

// 1 where channels come after pixels.
override CHANNELS_LAST: u32 = 0u;
// 1 where taps are as far apart as windows, so that the rows under the next tap are those
// under this one, moved up by one.
override ROLLING: u32 = 0u;

fn put(at: u32, y: f32, alpha: f32, beta: f32) {
    put0(at, activated(y, alpha, beta));
}

// A column of the input: where row 0 is, how far rows are apart, and how many there are; none
// where the column is outside.
struct Line {
    start: u32,
    stride: u32,
    rows: u32,
}

// What is read outside of the input is not used.
fn one(row: u32, l: Line) -> f32 {
    return select(0.0, at0(l.start + row * l.stride), row < l.rows);
}

fn four(rows: vec4<u32>, l: Line) -> vec4<f32> {
    return vec4<f32>(one(rows.x, l), one(rows.y, l), one(rows.z, l), one(rows.w, l));
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
    let upper = block * 8u + vec4<u32>(0u, 1u, 2u, 3u);
    let lower = upper + 4u;
    // Loads from a uniform are slow, so they stay out of the loops.
    let kernel = u.p.kernel;
    let dilation = u.p.dilation;
    let size = u.p.size;
    let row_stride = u.p.x_space.y;
    let column_stride = u.p.x_space.z;
    let w_tap = u.p.w_tap;
    let step = u.p.stride.y;
    let offset = u.p.pad.y;
    let top = vec4<u32>(vec4<i32>(upper * step) - offset);
    let middle = vec4<u32>(vec4<i32>(lower * step) - offset);
    let left = i32(column * u.p.stride.z) - u.p.pad.z;
    let start = start0() + image * u.p.x_batch + channel * u.p.x_channel;
    let weight = start1() + channel * u.p.w_group + (k - channel * u.p.outputs) * u.p.w_filter;
    var sum = vec4<f32>();
    var more = vec4<f32>();
    for (var kx = 0u; kx < kernel.z; kx++) {
        let x = u32(left + i32(kx * dilation.z));
        let inside = x < size.z;
        let l = Line(start + x * column_stride, row_stride, select(0u, size.y, inside));
        var w = weight + kx * w_tap;
        var a = top;
        var b = middle;
        var v = vec4<f32>();
        var next = vec4<f32>();
        if (ROLLING == 1u) {
            v = four(a, l);
            next = vec4<f32>(one(b.x, l), one(b.y, l), one(b.z, l), 0.0);
        }
        for (var ky = 0u; ky < kernel.y; ky++) {
            if (ROLLING == 1u) {
                next.w = one(b.w, l);
            } else {
                v = four(a, l);
                next = four(b, l);
            }
            let factor = at1(w);
            sum += factor * v;
            more += factor * next;
            v = vec4<f32>(v.yzw, next.x);
            next = vec4<f32>(next.yzw, 0.0);
            a += dilation.y;
            b += dilation.y;
            w += kernel.z * w_tap;
        }
    }
    if (BIAS == 1u) {
        let bias = in2(k);
        sum += bias;
        more += bias;
    }
    let row = width * u.p.y_pixel;
    let first = target0() + image * u.p.y_batch + k * u.p.y_channel + column * u.p.y_pixel;
    let y = first + upper * row;
    let z = first + lower * row;
    let alpha = u.p.alpha;
    let beta = u.p.beta;
    put(y.x, sum.x, alpha, beta);
    if (upper.y < height) { put(y.y, sum.y, alpha, beta); }
    if (upper.z < height) { put(y.z, sum.z, alpha, beta); }
    if (upper.w < height) { put(y.w, sum.w, alpha, beta); }
    if (lower.x < height) { put(z.x, more.x, alpha, beta); }
    if (lower.y < height) { put(z.y, more.y, alpha, beta); }
    if (lower.z < height) { put(z.z, more.z, alpha, beta); }
    if (lower.w < height) { put(z.w, more.w, alpha, beta); }
}
