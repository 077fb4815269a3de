// y = the sum of x under a window times a filter, plus a bias, of floats and filters of 8 bits: each
// image becomes integers of 8 bits by its own range first, as LiteRT's reference kernels do it.

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
    // Elements of y before each that is written.
    gap: u32,
    // Images of x.
    given: u32,
    // Images of y that one matrix of filters makes, and elements from one matrix to the next.
    each: u32,
    by_matrix: u32,
}

var<workgroup> lows: array<f32, 64>;
var<workgroup> highs: array<f32, 64>;
// Scale, its inverse and the zero point.
var<workgroup> steps: vec3<f32>;

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
        let x = ((image % u.p.given * u.p.height + u32(row)) * u.p.width + u32(column)) * u.p.channels + first;
        let w = image / u.p.each * u.p.by_matrix + filter_ * u.p.by_filter + tap * u.p.by_tap;
        for (var c = 0u; c < u.p.group_inputs; c++) {
            sum += integer(in0(x + c), steps) * narrow(I8, IN1, u.inputs.y, w + c * u.p.by_channel);
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
        let x = in0(image % u.p.given * size + i);
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
        out0((image * count + i) * (u.p.gap + 1u) + u.p.gap, result(image, i));
    }
}
