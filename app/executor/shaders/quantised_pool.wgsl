// y[n, r, s, c] = the largest, the mean or the scaled sum of the quantised elements of x under a window, where OP chooses. Channels come last.

// 0: the largest; 1: the mean; 2: the sum times a factor; 3: times a float; 4: the mean of floats.
override OP: u32 = 0u;
override KIND: u32 = 8u;

struct Params {
    count: u32,
    height: u32,
    width: u32,
    channels: u32,
    rows: u32,
    columns: u32,
    kernel_height: u32,
    kernel_width: u32,
    stride_height: u32,
    stride_width: u32,
    pad_top: i32,
    pad_left: i32,
    x_zero: i32,
    y_zero: i32,
    lowest: i32,
    highest: i32,
    mantissa: i32,
    shift: i32,
    // What sums are multiplied by; for means of floats the scales of x and y.
    factor: f32,
    y_scale: f32,
    // How many elements a mean of floats is of; 0: as many as are under the window.
    taps: u32,
    // Of a third dimension: how many planes x, y and the window have beyond the first, steps, distances
    // of taps, padding in front, and the stride of x.
    more_x: u32,
    more_y: u32,
    more_taps: u32,
    stride_depth: u32,
    // 0: taps are next to each other.
    dilation_depth: u32,
    pad_front: i32,
    x_plane: u32,
}

fn result(i: u32) -> vec2<u32> {
    let c = i % u.p.channels;
    let pixel = i / u.p.channels;
    let column = pixel % u.p.columns;
    let row = pixel / u.p.columns % u.p.rows;
    let plane = pixel / u.p.columns / u.p.rows;
    let image = plane / (u.p.more_y + 1u);
    let front = i32(plane % (u.p.more_y + 1u) * u.p.stride_depth) - u.p.pad_front;
    let back = min(front + i32(u.p.more_taps), i32(u.p.more_x));
    let top = i32(row * u.p.stride_height) - u.p.pad_top;
    let left = i32(column * u.p.stride_width) - u.p.pad_left;
    let bottom = min(top + i32(u.p.kernel_height), i32(u.p.height));
    let right = min(left + i32(u.p.kernel_width), i32(u.p.width));
    var sum = 0;
    var reals = 0.0;
    var largest = -32768;
    var number = 0;
    for (var z = max(front, 0); z <= back; z++) {
        let start = image * (u.p.more_x + 1u) + u32(z);
        for (var y = max(top, 0); y < bottom; y++) {
            for (var x = max(left, 0); x < right; x++) {
                let at = ((start * u.p.height + u32(y)) * u.p.width + u32(x)) * u.p.channels + c;
                let value = narrow(KIND, IN0, u.inputs.x, at);
                sum += value - u.p.x_zero;
                if (OP == 4u) { reals += f32(value - u.p.x_zero) * u.p.factor; }
                largest = max(largest, value);
                number++;
            }
        }
    }
    var y = largest;
    if (OP == 1u && number > 0) {
        // Towards zero after half of the number was added to the size.
        y = select(sum - number / 2, sum + number / 2, sum > 0) / number;
    }
    if (OP == 2u) { y = times(sum, u.p.mantissa, u.p.shift) + u.p.y_zero; }
    if (OP == 3u) { y = element_of(f32(sum) * u.p.factor) + u.p.y_zero; }
    if (OP == 4u) {
        let taps = select(u.p.taps, u32(number), u.p.taps == 0u);
        y = element_of(reals / f32(taps) / u.p.y_scale + f32(u.p.y_zero));
    }
    return bits_of_int(clamp(y, u.p.lowest, u.p.highest));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
