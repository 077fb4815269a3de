// y = the largest, the mean or the norm of the elements under a window, one thread per element.

// 0 largest, 1 mean, 2 p-norm, 3 root of the mean of squares.
override OP: u32 = 0u;
// 1 where the place of the largest element is an output too, as a 64-bit integer.
override INDICES: u32 = 0u;

// Spatial sizes are depth, height, width.
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

// The taps of a window along one dimension that are inside.
struct Taps {
    // Position of tap 0, which may be outside.
    start: i32,
    first: u32,
    end: u32,
    // Taps inside of the input and its padding.
    padded: u32,
}

// The number of taps k with start + k * dilation below bound.
fn below(bound: i32, start: i32, d: u32) -> u32 {
    if (bound <= start) { return 0u; }
    return min((u32(bound - start) - 1u) / u.p.dilation[d] + 1u, u.p.kernel[d]);
}

fn taps(position: u32, d: u32) -> Taps {
    let start = i32(position * u.p.stride[d]) - u.p.pad[d];
    let size = i32(u.p.size[d]);
    return Taps(start, below(0, start, d), below(size, start, d), below(size + u.p.pad_end[d], start, d));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let channel = i % u.p.channels;
    var rest = i / u.p.channels;
    let x = taps(rest % u.p.result.z, 2u);
    rest = rest / u.p.result.z;
    let y = taps(rest % u.p.result.y, 1u);
    rest = rest / u.p.result.y;
    let z = taps(rest % u.p.result.x, 0u);
    let plane = rest / u.p.result.x;
    let pixels = u.p.size.x * u.p.size.y * u.p.size.z;
    let image = plane * pixels;
    var best = -3.4028234663852886e38;
    var place = 0u;
    var sum = 0.0;
    for (var kz = z.first; kz < z.end; kz++) {
        let iz = u32(z.start + i32(kz * u.p.dilation.x));
        for (var ky = y.first; ky < y.end; ky++) {
            let iy = u32(y.start + i32(ky * u.p.dilation.y));
            for (var kx = x.first; kx < x.end; kx++) {
                let ix = u32(x.start + i32(kx * u.p.dilation.z));
                let at = (iz * u.p.size.y + iy) * u.p.size.z + ix;
                let value = in0((image + at) * u.p.channels + channel);
                if (OP == 0u) {
                    if (INDICES == 1u && value > best) {
                        place = at;
                        if (u.p.first_fastest == 1u) {
                            place = iz + u.p.size.x * (iy + u.p.size.y * ix);
                        }
                    }
                    best = max(best, value);
                } else if (OP == 1u) {
                    sum += value;
                } else if (OP == 3u || u.p.p == 2.0) {
                    sum += value * value;
                } else if (u.p.p == 1.0) {
                    sum += abs(value);
                } else {
                    sum += pow(abs(value), u.p.p);
                }
            }
        }
    }
    var y_i = best;
    let inside = (z.end - z.first) * (y.end - y.first) * (x.end - x.first);
    if (OP == 1u || OP == 3u) {
        let all = select(inside, z.padded * y.padded * x.padded, u.p.padding_counts == 1u);
        y_i = sum / f32(max(all, 1u));
        if (OP == 3u) { y_i = sqrt(y_i); }
    } else if (OP == 2u) {
        y_i = sum;
        if (u.p.p == 2.0) { y_i = sqrt(sum); } else if (u.p.p != 1.0) { y_i = pow(sum, 1.0 / u.p.p); }
    }
    out0(i, activated(y_i, u.p.alpha, u.p.beta));
    if (INDICES == 1u) {
        store(OUT1, u.more.w + 2u * i, image + place);
        store(OUT1, u.more.w + 2u * i + 1u, 0u);
    }
}
