// y = the largest, the mean or the norm of the elements under a window, one thread per element.

// 1 where the place of the largest element is an output too, as a 64-bit integer.
override INDICES: u32 = 0u;
// 1 where channels come after pixels.
override CHANNELS_LAST: u32 = 0u;
// 1 where there is more than one layer of depth in the window, the input or the output.
override VOLUME: u32 = 1u;

// The taps of a window along one dimension that are inside.
struct Taps {
    // Position of tap 0, which may be outside.
    start: i32,
    first: u32,
    end: u32,
    // Taps inside of the input and its padding.
    padded: u32,
}

// Along one dimension: input, window, step, distance of taps, padding before and after.
struct Side {
    size: u32,
    kernel: u32,
    stride: u32,
    dilation: u32,
    pad: i32,
    pad_end: i32,
}

// The number of taps k with start + k * dilation below bound.
fn below(bound: i32, start: i32, s: Side) -> u32 {
    if (bound <= start) { return 0u; }
    return min((u32(bound - start) - 1u) / s.dilation + 1u, s.kernel);
}

fn taps(position: u32, s: Side) -> Taps {
    let start = i32(position * s.stride) - s.pad;
    let size = i32(s.size);
    var padded = 0u;
    if (OP == 1u) { padded = below(size + s.pad_end, start, s); }
    return Taps(start, below(0, start, s), below(size, start, s), padded);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    // Loads from a uniform are slow, so they stay out of the loops.
    let size = u.p.size;
    let result = u.p.result;
    let kernel = u.p.kernel;
    let stride = u.p.stride;
    let dilation = u.p.dilation;
    let pad = u.p.pad;
    let pad_end = u.p.pad_end;
    let p = u.p.p;
    var channels = 1u;
    var channel = 0u;
    var rest = i;
    if (CHANNELS_LAST == 1u) {
        channels = u.p.channels;
        rest = i / channels;
        channel = i - rest * channels;
    }
    let line = rest / result.z;
    let x = taps(rest - line * result.z,
        Side(size.z, kernel.z, stride.z, dilation.z, pad.z, pad_end.z));
    let layer = line / result.y;
    let y = taps(line - layer * result.y,
        Side(size.y, kernel.y, stride.y, dilation.y, pad.y, pad_end.y));
    var plane = layer;
    var z = Taps(0, 0u, 1u, 1u);
    if (VOLUME == 1u) {
        plane = layer / result.x;
        z = taps(layer - plane * result.x,
            Side(size.x, kernel.x, stride.x, dilation.x, pad.x, pad_end.x));
    }
    let pixels = size.x * size.y * size.z;
    let image = plane * pixels;
    let start = start0() + image * channels + channel;
    var best = -3.4028234663852886e38;
    var place = 0u;
    var sum = 0.0;
    for (var kz = z.first; kz < z.end; kz++) {
        let iz = u32(z.start + i32(kz * dilation.x));
        for (var ky = y.first; ky < y.end; ky++) {
            let iy = u32(y.start + i32(ky * dilation.y));
            let above = (iz * size.y + iy) * size.z;
            for (var kx = x.first; kx < x.end; kx++) {
                let ix = u32(x.start + i32(kx * dilation.z));
                let at = above + ix;
                let value = at0(start + at * channels);
                if (OP == 0u) {
                    if (INDICES == 1u && value > best) {
                        place = at;
                        if (u.p.first_fastest == 1u) {
                            place = iz + size.x * (iy + size.y * ix);
                        }
                    }
                    best = max(best, value);
                } else if (OP == 1u) {
                    sum += value;
                } else if (OP == 3u || p == 2.0) {
                    sum += value * value;
                } else if (p == 1.0) {
                    sum += abs(value);
                } else {
                    sum += power_of(abs(value), p);
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
        if (p == 2.0) { y_i = sqrt(sum); } else if (p != 1.0) { y_i = power_of(sum, 1.0 / p); }
    }
    out0(i, activated(y_i, u.p.alpha, u.p.beta));
    if (INDICES == 1u) {
        store(OUT1, u.more.w + 2u * i, image + place);
        store(OUT1, u.more.w + 2u * i + 1u, 0u);
    }
}
