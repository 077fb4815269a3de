// y = activation(conv(x, w) + bias): each thread computes TILE channels of 4 pixels.

// Output channels of a thread: 1, 4 or 8.
override TILE: u32 = 8u;
// 1 where the output slides over the window instead: a transposed convolution.
override TRANSPOSED: u32 = 0u;
// 0 where every tap of every pixel lies inside the input.
override PADDED: u32 = 1u;
// 1 where the window is one pixel at every pixel: input and output have the same pixels.
override POINTWISE: u32 = 0u;
// 1 where there is more than one layer of depth in the window, the input or the output.
override VOLUME: u32 = 1u;

// Where a tap lies along one dimension: for each pixel a position, and whether it is inside.
struct Tap {
    at: vec4<u32>,
    inside: vec4<bool>,
}

fn tap(pixel: vec4<u32>, k: u32, size: u32, stride: u32, dilation: u32, pad: i32) -> Tap {
    let offset = i32(k * dilation) - pad;
    if (TRANSPOSED == 1u) {
        let steps = vec4<u32>(vec4<i32>(pixel) - offset);
        let at = steps / stride;
        return Tap(at, (at * stride == steps) & (at < vec4<u32>(size)));
    }
    let at = vec4<u32>(vec4<i32>(pixel * stride) + offset);
    return Tap(at, at < vec4<u32>(size));
}

// What storing needs of the uniform, read once.
struct Store {
    at: vec4<u32>,
    inside: vec4<bool>,
    outputs: u32,
    stride: u32,
    bias: u32,
    alpha: f32,
    beta: f32,
}

fn finish(sum: vec4<f32>, channel: u32, s: Store) {
    if (channel >= s.outputs) { return; }
    let at = s.at + channel * s.stride;
    var y = sum;
    if (BIAS == 1u) { y += at2(s.bias + channel); }
    put(at.x, y.x, s);
    if (s.inside.y) { put(at.y, y.y, s); }
    if (s.inside.z) { put(at.z, y.z, s); }
    if (s.inside.w) { put(at.w, y.w, s); }
}

fn put(at: u32, y: f32, s: Store) { put0(at, activated(y, s.alpha, s.beta)); }

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group_number(group, groups);
    let lanes = u.p.lanes;
    let slot = number / u.p.blocks;
    let line_of_threads = thread / lanes;
    let unit = slot * (64u / lanes) + line_of_threads;
    let first = (number - slot * u.p.blocks) * (4u * lanes) + thread - line_of_threads * lanes;
    if (unit >= u.p.units || first >= u.p.pixels) { return; }
    let plane = unit / u.p.tiles;
    let channel = (unit - plane * u.p.tiles) * TILE;
    let image = plane / u.p.groups;
    let part = plane - image * u.p.groups;
    // Neighbouring threads take neighbouring pixels, so that their loads are neighbours too.
    let pixel = first + vec4<u32>(0u, lanes, 2u * lanes, 3u * lanes);
    let start = start0() + image * u.p.x_batch + part * u.p.inputs * u.p.x_channel;
    // Filters after the last of the group repeat it; their sums are not stored.
    let most = u.p.outputs - 1u;
    let filters = start1() + part * u.p.w_group;
    let w0 = filters + channel * u.p.w_filter;
    let w1 = filters + min(channel + 1u, most) * u.p.w_filter;
    let w2 = filters + min(channel + 2u, most) * u.p.w_filter;
    let w3 = filters + min(channel + 3u, most) * u.p.w_filter;
    let w4 = filters + min(channel + 4u, most) * u.p.w_filter;
    let w5 = filters + min(channel + 5u, most) * u.p.w_filter;
    let w6 = filters + min(channel + 6u, most) * u.p.w_filter;
    let w7 = filters + min(channel + 7u, most) * u.p.w_filter;
    var y0 = vec4<f32>();
    var y1 = vec4<f32>();
    var y2 = vec4<f32>();
    var y3 = vec4<f32>();
    var y4 = vec4<f32>();
    var y5 = vec4<f32>();
    var y6 = vec4<f32>();
    var y7 = vec4<f32>();
    // Loads from a uniform are slow, so they stay out of the loops.
    let inputs = u.p.inputs;
    let x_channel = u.p.x_channel;
    let w_channel = u.p.w_channel;
    let w_tap = u.p.w_tap;
    let x_space = u.p.x_space;
    let kernel = u.p.kernel;
    let size = u.p.size;
    let stride = u.p.stride;
    let dilation = u.p.dilation;
    let pad = u.p.pad;
    var depth = vec4<u32>();
    var row = vec4<u32>();
    var column = pixel;
    if (POINTWISE == 0u) {
        row = pixel / u.p.result.z;
        column = pixel - row * u.p.result.z;
        if (VOLUME == 1u) {
            depth = row / u.p.result.y;
            row -= depth * u.p.result.y;
        }
    }
    var taps = 0u;
    for (var kz = 0u; kz < kernel.x; kz++) {
        var layer = vec4<u32>(start);
        var z_inside = vec4<bool>(true);
        if (VOLUME == 1u) {
            let z = tap(depth, kz, size.x, stride.x, dilation.x, pad.x);
            layer += z.at * x_space.x;
            z_inside = z.inside;
        }
        for (var ky = 0u; ky < kernel.y; ky++) {
            var line = layer;
            var y_inside = z_inside;
            if (POINTWISE == 0u) {
                let y = tap(row, ky, size.y, stride.y, dilation.y, pad.y);
                line += y.at * x_space.y;
                y_inside &= y.inside;
            }
            for (var kx = 0u; kx < kernel.z; kx++) {
                var at = line + column * x_space.z;
                var inside = y_inside;
                if (POINTWISE == 0u) {
                    let x = tap(column, kx, size.z, stride.z, dilation.z, pad.z);
                    at = line + x.at * x_space.z;
                    inside &= x.inside;
                }
                var w = taps;
                taps += w_tap;
                // Most taps of a strided transposed convolution meet no input.
                if (TRANSPOSED == 1u && !any(inside)) { continue; }
                for (var c = 0u; c < inputs; c++) {
                    // What is read outside of the input is not used.
                    var v = vec4<f32>(at0(at.x), at0(at.y), at0(at.z), at0(at.w));
                    if (PADDED == 1u) { v = select(vec4<f32>(), v, inside); }
                    y0 += at1(w0 + w) * v;
                    if (TILE > 1u) {
                        y1 += at1(w1 + w) * v;
                        y2 += at1(w2 + w) * v;
                        y3 += at1(w3 + w) * v;
                    }
                    if (TILE > 4u) {
                        y4 += at1(w4 + w) * v;
                        y5 += at1(w5 + w) * v;
                        y6 += at1(w6 + w) * v;
                        y7 += at1(w7 + w) * v;
                    }
                    at += x_channel;
                    w += w_channel;
                }
            }
        }
    }
    let filters_before = part * u.p.outputs;
    let y = target0() + image * u.p.y_batch + filters_before * u.p.y_channel;
    let s = Store(
        y + pixel * u.p.y_pixel,
        pixel < vec4<u32>(u.p.pixels),
        u.p.outputs,
        u.p.y_channel,
        start2() + filters_before,
        u.p.alpha,
        u.p.beta,
    );
    finish(y0, channel, s);
    if (TILE > 1u) {
        finish(y1, channel + 1u, s);
        finish(y2, channel + 2u, s);
        finish(y3, channel + 3u, s);
    }
    if (TILE > 4u) {
        finish(y4, channel + 4u, s);
        finish(y5, channel + 5u, s);
        finish(y6, channel + 6u, s);
        finish(y7, channel + 7u, s);
    }
}
