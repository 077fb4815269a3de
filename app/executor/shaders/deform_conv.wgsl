// y = the sum of x at the shifted places of a window times a filter, plus a bias.

// 1 where there is a bias, and where samples are multiplied by a mask.
override BIAS: u32 = 0u;
override MASK: u32 = 0u;

struct Params {
    count: u32,
    // Of x.
    channels: u32,
    height: u32,
    width: u32,
    // Of y.
    filters: u32,
    rows: u32,
    columns: u32,
    // Channels of x and of y in a group, and channels of x that shift alike.
    group_inputs: u32,
    group_filters: u32,
    shifted: u32,
    kernel_height: u32,
    kernel_width: u32,
    stride_height: u32,
    stride_width: u32,
    dilation_height: u32,
    dilation_width: u32,
    pad_top: i32,
    pad_left: i32,
}

fn pixel(first: u32, row: i32, column: i32) -> f32 {
    let inside = row >= 0 && row < i32(u.p.height) && column >= 0 && column < i32(u.p.width);
    if (!inside) { return 0.0; }
    return in0(first + u32(row) * u.p.width + u32(column));
}

// Between four elements; those outside of x are zeros.
fn sample(first: u32, y: f32, x: f32) -> f32 {
    if (!(y > -1.0 && y < f32(u.p.height) && x > -1.0 && x < f32(u.p.width))) { return 0.0; }
    let row = floor(y);
    let column = floor(x);
    let v = y - row;
    let h = x - column;
    let r = i32(row);
    let c = i32(column);
    let above = (1.0 - h) * pixel(first, r, c) + h * pixel(first, r, c + 1);
    let below = (1.0 - h) * pixel(first, r + 1, c) + h * pixel(first, r + 1, c + 1);
    return (1.0 - v) * above + v * below;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let pixels = u.p.rows * u.p.columns;
    let spot = i % pixels;
    let column = spot % u.p.columns;
    let row = spot / u.p.columns;
    let filter_of = i / pixels % u.p.filters;
    let image = i / pixels / u.p.filters;
    let taps = u.p.kernel_height * u.p.kernel_width;
    let offset_groups = u.p.channels / u.p.shifted;
    var sum = 0.0;
    if (BIAS == 1u) { sum = in3(filter_of); }
    for (var k = 0u; k < u.p.group_inputs; k++) {
        let channel = filter_of / u.p.group_filters * u.p.group_inputs + k;
        let first = (image * u.p.channels + channel) * u.p.height * u.p.width;
        let part = image * offset_groups + channel / u.p.shifted;
        for (var tap = 0u; tap < taps; tap++) {
            let at = part * taps + tap;
            let r = row * u.p.stride_height + tap / u.p.kernel_width * u.p.dilation_height;
            let c = column * u.p.stride_width + tap % u.p.kernel_width * u.p.dilation_width;
            let y = f32(i32(r) - u.p.pad_top) + in2(2u * at * pixels + spot);
            let x = f32(i32(c) - u.p.pad_left) + in2((2u * at + 1u) * pixels + spot);
            var value = sample(first, y, x);
            if (MASK == 1u) { value *= in4(at * pixels + spot); }
            sum += value * in1((filter_of * u.p.group_inputs + k) * taps + tap);
        }
    }
    out0(i, sum);
}
