// y = the sum of x under a window times a filter, plus a bias, as an integer or as an element of y's quantisation. Matrix products are such sums, too.

override X: u32 = 8u;
override W: u32 = 8u;
override KIND: u32 = 8u;
override BIAS: u32 = 0u;
// 1 where sums and biases are of 64 bits.
override WIDE: u32 = 0u;
// 1 where the window goes over y: x lies under a tap where the steps lead to it.
override TRANSPOSED: u32 = 0u;
// 1 where the channels of y come before its pixels.
override PLANES: u32 = 0u;
// How sums become elements: 0 by fixed-point factors, 1 by factors that are floats, 2 as they are, 3 by fixed-point factors with one rounding.
override SCALE: u32 = 0u;
// How many zero points of x and of the filters are read from tensors; 0 where the parameters have them.
override X_ZEROS: u32 = 0u;
override W_ZEROS: u32 = 0u;

struct Params {
    count: u32,
    // Of x.
    height: u32,
    width: u32,
    // Of y.
    rows: u32,
    columns: u32,
    channels: u32,
    // Channels of x and of y in a group.
    group_inputs: u32,
    group_outputs: u32,
    kernel_height: u32,
    kernel_width: u32,
    stride_height: u32,
    stride_width: u32,
    dilation_height: u32,
    dilation_width: u32,
    pad_top: i32,
    pad_left: i32,
    // Strides of x in elements.
    x_image: u32,
    x_row: u32,
    x_column: u32,
    x_channel: u32,
    // Strides of the filters.
    w_image: u32,
    w_filter: u32,
    w_tap: u32,
    w_channel: u32,
    x_zero: i32,
    w_zero: i32,
    y_zero: i32,
    lowest: i32,
    highest: i32,
    // Factors in the table: one for each channel, or one for all.
    factors: u32,
}

// Where tap `tap` of the window at `place` lies in x, along a side of x of `size`; -1 where it
// does not.
fn under(place: u32, tap: u32, stride: u32, dilation: u32, pad: i32, size: u32) -> i32 {
    var at = 0;
    if (TRANSPOSED == 1u) {
        let distance = i32(place) + pad - i32(tap * dilation);
        if (distance < 0 || distance % i32(stride) != 0) { return -1; }
        at = distance / i32(stride);
    } else {
        at = i32(place * stride + tap * dilation) - pad;
    }
    return select(-1, at, at >= 0 && at < i32(size));
}

fn result(i: u32) -> vec2<u32> {
    var c = i % u.p.channels;
    var pixel = i / u.p.channels;
    let pixels = u.p.rows * u.p.columns;
    var image = pixel / pixels;
    if (PLANES == 1u) {
        c = i / pixels % u.p.channels;
        image = i / pixels / u.p.channels;
        pixel = i;
    }
    let column = pixel % u.p.columns;
    let row = pixel / u.p.columns % u.p.rows;
    let first = image * u.p.x_image + c / u.p.group_outputs * u.p.group_inputs * u.p.x_channel;
    var x_zero = u.p.x_zero;
    if (X_ZEROS == 1u) { x_zero = narrow(X, IN4, u.more.x, 0u); }
    if (X_ZEROS > 1u) { x_zero = narrow(X, IN4, u.more.x, row); }
    var w_zero = u.p.w_zero;
    if (W_ZEROS > 0u) { w_zero = narrow(W, IN5, u.more.y, select(0u, c, W_ZEROS > 1u)); }
    var sum = 0;
    var wide = vec2<u32>(0u, 0u);
    for (var r = 0u; r < u.p.kernel_height; r++) {
        let y = under(row, r, u.p.stride_height, u.p.dilation_height, u.p.pad_top, u.p.height);
        if (y < 0) { continue; }
        for (var s = 0u; s < u.p.kernel_width; s++) {
            let x = under(column, s, u.p.stride_width, u.p.dilation_width, u.p.pad_left, u.p.width);
            if (x < 0) { continue; }
            let start = first + u32(y) * u.p.x_row + u32(x) * u.p.x_column;
            let tap = image * u.p.w_image + c * u.p.w_filter
                + (r * u.p.kernel_width + s) * u.p.w_tap;
            for (var k = 0u; k < u.p.group_inputs; k++) {
                let value = narrow(X, IN0, u.inputs.x, start + k * u.p.x_channel) - x_zero;
                let weight = narrow(W, IN1, u.inputs.y, tap + k * u.p.w_channel) - w_zero;
                if (WIDE == 1u) {
                    wide = add64(wide, extended(value * weight));
                } else {
                    sum += value * weight;
                }
            }
        }
    }
    if (BIAS == 1u && WIDE == 1u) { wide = add64(wide, raw(I64, IN3, u.inputs.w, c)); }
    if (BIAS == 1u && WIDE == 0u) { sum += bitcast<i32>(load(IN3, u.inputs.w + c)); }
    if (SCALE == 2u) { return bits_of_int(sum); }
    let at = select(0u, c, u.p.factors > 1u);
    var scaled = 0;
    if (SCALE != 1u) {
        let mantissa = bitcast<i32>(load(IN2, u.inputs.z + 2u * at));
        let shift = bitcast<i32>(load(IN2, u.inputs.z + 2u * at + 1u));
        if (SCALE == 3u) {
            let all = select(extended(sum), wide, WIDE == 1u);
            scaled = times_once(all, mantissa, shift) + u.p.y_zero;
        } else if (WIDE == 1u) {
            scaled = times_wide(wide, mantissa, shift) + u.p.y_zero;
        } else {
            scaled = times(sum, mantissa, shift) + u.p.y_zero;
        }
    } else {
        // What is beyond the range is cut off before it becomes an integer.
        let real = round(f32(sum) * in2(at));
        scaled = i32(clamp(real, -65536.0, 65536.0)) + u.p.y_zero;
    }
    return bits_of_int(clamp(scaled, u.p.lowest, u.p.highest));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
