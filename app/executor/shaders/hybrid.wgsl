// y = the sum of x under a window times a filter, plus a bias, of floats and filters of 8 bits: each
// image becomes integers of 8 bits by its own range first, as LiteRT's reference kernels do it.

// 1 where images have a zero point.
override ASYMMETRIC: u32 = 0u;
// 1 where a sum is multiplied by its filter's scale before the image's.
override CHANNEL_FIRST: u32 = 0u;
override BIAS: u32 = 0u;

struct Params {
    images: u32,
    // Workgroups that share an image.
    share: u32,
    height: u32,
    width: u32,
    channels: u32,
    rows: u32,
    columns: u32,
    filters: u32,
    // Channels of x and of y in a group.
    group_inputs: u32,
    group_outputs: u32,
    kernel_height: u32,
    kernel_width: u32,
    stride_y: u32,
    stride_x: u32,
    dilation_y: u32,
    dilation_x: u32,
    pad_y: i32,
    pad_x: i32,
    by_filter: u32,
    by_tap: u32,
    by_channel: u32,
    low: f32,
    high: f32,
    none: u32,
}

var<workgroup> lows: array<f32, 64>;
var<workgroup> highs: array<f32, 64>;
// Scale, its inverse and the zero point.
var<workgroup> steps: vec3<f32>;

// A float that no compiler joins with the next operation: it cannot know that `none` is 0.
fn rounded(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ u.p.none); }

// To nearest, ties away from zero.
fn nearest(x: f32) -> f32 {
    let size = trunc(abs(x));
    return sign(x) * select(size, size + 1.0, abs(x) - size >= 0.5);
}

// 255 a / b with 22 binary places, the last one set where it is inexact; a is not above b.
fn share_of(a: f32, b: f32) -> i32 {
    let by = u32(power(b) - power(a));
    if (a == 0.0 || by > 32u) { return 0; }
    let size = digits(b);
    let below = vec2<u32>(select(size << (by & 31u), 0u, by == 32u),
        select(select(size >> ((32u - by) & 31u), 0u, by == 0u), size, by == 32u));
    let found = divided(mul64(vec2<u32>(digits(a), 0u), vec2<u32>(255u << 22u, 0u)), below);
    return i32(found.quotient.x | select(0u, 1u, (found.rest.x | found.rest.y) != 0u));
}

fn zero_point(low: f32, high: f32, range: f32) -> f32 {
    let one = 1 << 22u;
    let below = share_of(-low, range);
    let above = share_of(high, range);
    var zero = 127 * one - above;
    // From the end that is nearer to zero.
    if (above - below > one) { zero = below - 128 * one; }
    zero = clamp(zero, -128 * one, 127 * one);
    let size = (abs(zero) + one / 2) >> 22u;
    return f32(select(size, -size, zero < 0));
}

fn range_of(low: f32, high: f32) -> vec3<f32> {
    if (ASYMMETRIC == 0u) {
        let range = max(-low, high);
        if (range == 0.0) { return vec3<f32>(1.0, 0.0, 0.0); }
        return vec3<f32>(quotient(range, 127.0), quotient(127.0, range), 0.0);
    }
    let range = high - low;
    if (range == 0.0) { return vec3<f32>(1.0, 0.0, 0.0); }
    let scale = quotient(range, 255.0);
    return vec3<f32>(scale, quotient(1.0, scale), zero_point(low, high, range));
}

fn element(at: u32) -> i32 {
    let x = rounded(in0(at) * steps.y);
    if (ASYMMETRIC == 0u) { return i32(clamp(nearest(x), -127.0, 127.0)); }
    return i32(clamp(nearest(rounded(steps.z + x)), -128.0, 127.0) - steps.z);
}

fn result(image: u32, at: u32) -> f32 {
    let filter_ = at % u.p.filters;
    let pixel = at / u.p.filters;
    let first = filter_ / u.p.group_outputs * u.p.group_inputs;
    let top = i32(pixel / u.p.columns * u.p.stride_y) - u.p.pad_y;
    let left = i32(pixel % u.p.columns * u.p.stride_x) - u.p.pad_x;
    var sum = 0;
    for (var tap = 0u; tap < u.p.kernel_height * u.p.kernel_width; tap++) {
        let row = top + i32(tap / u.p.kernel_width * u.p.dilation_y);
        let column = left + i32(tap % u.p.kernel_width * u.p.dilation_x);
        if (row < 0 || column < 0 || row >= i32(u.p.height) || column >= i32(u.p.width)) { continue; }
        let x = ((image * u.p.height + u32(row)) * u.p.width + u32(column)) * u.p.channels + first;
        let w = filter_ * u.p.by_filter + tap * u.p.by_tap;
        for (var c = 0u; c < u.p.group_inputs; c++) {
            sum += element(x + c) * narrow(I8, IN1, u.inputs.y, w + c * u.p.by_channel);
        }
    }
    let own = in2(filter_);
    var y = 0.0;
    if (CHANNEL_FIRST == 1u) {
        y = rounded(rounded(f32(sum) * own) * steps.x);
    } else {
        y = rounded(f32(sum) * rounded(steps.x * own));
    }
    if (BIAS == 1u) { y += in3(filter_); }
    return clamp_of(y, u.p.low, u.p.high);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group_number(group, groups);
    let image = number / u.p.share;
    let is_there = image < u.p.images;
    let size = select(0u, u.p.height * u.p.width * u.p.channels, is_there);
    var low = 0.0;
    var high = 0.0;
    for (var i = thread; i < size; i += 64u) {
        let x = in0(image * size + i);
        low = min(low, x);
        high = max(high, x);
    }
    lows[thread] = low;
    highs[thread] = high;
    workgroupBarrier();
    if (thread == 0u) {
        for (var other = 1u; other < 64u; other++) {
            low = min(low, lows[other]);
            high = max(high, highs[other]);
        }
        steps = range_of(low, high);
    }
    workgroupBarrier();
    let count = select(0u, u.p.rows * u.p.columns * u.p.filters, is_there);
    for (var i = number % u.p.share * 64u + thread; i < count; i += u.p.share * 64u) {
        out0(image * count + i, result(image, i));
    }
}
