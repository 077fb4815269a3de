// y[n, r, s, c] = the sum of x under a window times the filter c, plus a bias, as an element of y's quantisation. Channels come last.

override X: u32 = 8u;
override W: u32 = 8u;
override KIND: u32 = 8u;
override BIAS: u32 = 0u;

struct Params {
    count: u32,
    // Of x.
    height: u32,
    width: u32,
    inputs: u32,
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
    // Strides of the filters in elements.
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

fn result(i: u32) -> vec2<u32> {
    let c = i % u.p.channels;
    let pixel = i / u.p.channels;
    let column = pixel % u.p.columns;
    let row = pixel / u.p.columns % u.p.rows;
    let image = pixel / u.p.columns / u.p.rows;
    let first = c / u.p.group_outputs * u.p.group_inputs;
    var sum = 0;
    for (var r = 0u; r < u.p.kernel_height; r++) {
        let y = i32(row * u.p.stride_height + r * u.p.dilation_height) - u.p.pad_top;
        if (y < 0 || y >= i32(u.p.height)) { continue; }
        for (var s = 0u; s < u.p.kernel_width; s++) {
            let x = i32(column * u.p.stride_width + s * u.p.dilation_width) - u.p.pad_left;
            if (x < 0 || x >= i32(u.p.width)) { continue; }
            let start = ((image * u.p.height + u32(y)) * u.p.width + u32(x)) * u.p.inputs + first;
            let tap = c * u.p.w_filter + (r * u.p.kernel_width + s) * u.p.w_tap;
            for (var k = 0u; k < u.p.group_inputs; k++) {
                let value = narrow(X, IN0, u.inputs.x, start + k) - u.p.x_zero;
                let weight = narrow(W, IN1, u.inputs.y, tap + k * u.p.w_channel) - u.p.w_zero;
                sum += value * weight;
            }
        }
    }
    if (BIAS == 1u) { sum += bitcast<i32>(load(IN3, u.inputs.w + c)); }
    let factor = u.inputs.z + select(0u, 2u * c, u.p.factors > 1u);
    let mantissa = bitcast<i32>(load(IN2, factor));
    let shift = bitcast<i32>(load(IN2, factor + 1u));
    let scaled = times(sum, mantissa, shift) + u.p.y_zero;
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
