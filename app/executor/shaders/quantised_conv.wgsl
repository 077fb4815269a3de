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
// How sums become elements: 0 by fixed-point factors, 1 by factors that are floats, 2 as they are,
// 3 by the scales of x and y and those of the filters, 4 by fixed-point factors with one rounding.
override SCALE: u32 = 0u;
// How many zero points of x and of the filters are read from tensors; 0 where the parameters have them.
override X_ZEROS: u32 = 0u;
override W_ZEROS: u32 = 0u;
// What the four elements of a word of y are, where words can be read whole: 1 pixels of a plane,
// 2 columns of a product, 3 filters over a pixel; 0 anything.
override LANES: u32 = 0u;

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
    x_scale: f32,
    y_scale: f32,
    // Of a third dimension: how many planes x, y and the window have beyond the first, steps, distances
    // of taps, padding in front, and the stride of x.
    more_x: u32,
    more_y: u32,
    more_taps: u32,
    stride_depth: u32,
    dilation_depth: u32,
    pad_front: i32,
    x_plane: u32,
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

// Where an element of y lies.
struct Spot {
    image: u32,
    row: u32,
    column: u32,
    channel: u32,
    plane: u32,
}

fn spot_of(i: u32) -> Spot {
    let planes = u.p.more_y + 1u;
    if (PLANES == 1u) {
        let row = i / u.p.columns;
        let plane = row / u.p.rows;
        let c = plane / planes;
        return Spot(c / u.p.channels, row % u.p.rows, i % u.p.columns, c % u.p.channels, plane % planes);
    }
    let pixel = i / u.p.channels;
    let row = pixel / u.p.columns;
    let plane = row / u.p.rows;
    return Spot(plane / planes, row % u.p.rows, pixel % u.p.columns, i % u.p.channels, plane % planes);
}

// The first element of x that filter c of an image sees.
fn first_of(spot: Spot) -> u32 {
    let group = spot.channel / u.p.group_outputs;
    return spot.image * u.p.x_image + group * u.p.group_inputs * u.p.x_channel;
}

fn x_zero_of(row: u32) -> i32 {
    if (X_ZEROS == 0u) { return u.p.x_zero; }
    return narrow(X, IN4, u.more.x, select(0u, row, X_ZEROS > 1u));
}

fn w_zero_of(c: u32) -> i32 {
    if (W_ZEROS == 0u) { return u.p.w_zero; }
    return narrow(W, IN5, u.more.y, select(0u, c, W_ZEROS > 1u));
}

// A fixed-point factor.
fn mantissa_of(at: u32) -> i32 { return bitcast<i32>(load(IN2, u.inputs.z + 2u * at)); }
fn shift_of(at: u32) -> i32 { return bitcast<i32>(load(IN2, u.inputs.z + 2u * at + 1u)); }

// The same of a sum of 64 bits.
fn finished_wide(products: vec2<u32>, c: u32) -> i32 {
    var sum = products;
    if (BIAS == 1u) { sum = add64(sum, raw(I64, IN3, u.inputs.w, c)); }
    let at = select(0u, c, u.p.factors > 1u);
    var scaled = 0;
    if (SCALE == 4u) {
        scaled = times_once(sum, mantissa_of(at), shift_of(at));
    } else {
        scaled = times_wide(sum, mantissa_of(at), shift_of(at));
    }
    return clamp(scaled + u.p.y_zero, u.p.lowest, u.p.highest);
}

// The sum as an element of y.
fn finished(products: i32, c: u32) -> i32 {
    var sum = products;
    if (BIAS == 1u) { sum += bitcast<i32>(load(IN3, u.inputs.w + c)); }
    if (SCALE == 2u) { return sum; }
    let at = select(0u, c, u.p.factors > 1u);
    var scaled = 0;
    if (SCALE == 0u) {
        scaled = times(sum, mantissa_of(at), shift_of(at)) + u.p.y_zero;
    } else if (SCALE == 4u) {
        scaled = times_once(extended(sum), mantissa_of(at), shift_of(at)) + u.p.y_zero;
    } else {
        var factor = in2(at);
        if (SCALE == 3u) { factor = u.p.x_scale * factor / u.p.y_scale; }
        scaled = element_of(f32(sum) * factor) + u.p.y_zero;
    }
    return clamp(scaled, u.p.lowest, u.p.highest);
}

fn result(i: u32) -> vec2<u32> {
    let spot = spot_of(i);
    let c = spot.channel;
    let first = first_of(spot);
    let x_zero = x_zero_of(spot.row);
    let w_zero = w_zero_of(c);
    var sum = 0;
    var wide = vec2<u32>(0u, 0u);
    for (var q = 0u; q <= u.p.more_taps; q++) {
        let z = under(spot.plane, q, u.p.stride_depth, u.p.dilation_depth, u.p.pad_front, u.p.more_x + 1u);
        if (z < 0) { continue; }
        let front = first + u32(z) * u.p.x_plane;
        for (var r = 0u; r < u.p.kernel_height; r++) {
            let y = under(spot.row, r, u.p.stride_height, u.p.dilation_height, u.p.pad_top, u.p.height);
            if (y < 0) { continue; }
            for (var s = 0u; s < u.p.kernel_width; s++) {
                let x = under(spot.column, s, u.p.stride_width, u.p.dilation_width, u.p.pad_left, u.p.width);
                if (x < 0) { continue; }
                let start = front + u32(y) * u.p.x_row + u32(x) * u.p.x_column;
                let tap = spot.image * u.p.w_image + c * u.p.w_filter
                    + ((q * u.p.kernel_height + r) * u.p.kernel_width + s) * u.p.w_tap;
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
    }
    if (WIDE == 1u) { return bits_of_int(finished_wide(wide, c)); }
    return bits_of_int(finished(sum, c));
}

// The four elements of a word.
fn four_of(kind: u32, word: u32) -> vec4<i32> {
    let shifted = vec4<u32>(word << 24u, word << 16u, word << 8u, word);
    if (kind == I8) { return bitcast<vec4<i32>>(shifted) >> vec4<u32>(24u); }
    return bitcast<vec4<i32>>(shifted >> vec4<u32>(24u));
}

fn four_x(word: u32, zero: i32) -> vec4<i32> {
    return four_of(X, load(IN0, u.inputs.x + word)) - vec4<i32>(zero);
}

fn four_w(word: u32, zero: vec4<i32>) -> vec4<i32> {
    return four_of(W, load(IN1, u.inputs.y + word)) - zero;
}

// Four pixels of a plane: words of x hold pixels, those of the filter four channels of x.
fn of_pixels(spot: Spot, x_zero: i32, w_zero: vec4<i32>) -> vec4<i32> {
    let step = u.p.x_channel / 4u;
    let tap = (spot.image * u.p.w_image + spot.channel * u.p.w_filter) / 4u;
    var word = (first_of(spot) + spot.row * u.p.x_row + spot.column) / 4u;
    var sum = vec4<i32>(0);
    for (var k = 0u; k < u.p.group_inputs / 4u; k++) {
        let weights = four_w(tap + k, w_zero);
        sum += four_x(word, x_zero) * weights.x;
        sum += four_x(word + step, x_zero) * weights.y;
        sum += four_x(word + 2u * step, x_zero) * weights.z;
        sum += four_x(word + 3u * step, x_zero) * weights.w;
        word += 4u * step;
    }
    return sum;
}

// Four columns of a product: words of the second matrix hold columns.
fn of_columns(spot: Spot, x_zero: i32, w_zero: vec4<i32>) -> vec4<i32> {
    let step = u.p.w_channel / 4u;
    let start = (spot.image * u.p.x_image + spot.row * u.p.x_row) / 4u;
    var word = (spot.image * u.p.w_image + spot.channel) / 4u;
    var sum = vec4<i32>(0);
    for (var k = 0u; k < u.p.group_inputs / 4u; k++) {
        let values = four_x(start + k, x_zero);
        sum += values.x * four_w(word, w_zero);
        sum += values.y * four_w(word + step, w_zero);
        sum += values.z * four_w(word + 2u * step, w_zero);
        sum += values.w * four_w(word + 3u * step, w_zero);
        word += 4u * step;
    }
    return sum;
}

// Four filters over a pixel: words hold channels of x.
fn of_filters(spot: Spot, x_zero: i32, w_zero: vec4<i32>) -> vec4<i32> {
    let step = u.p.w_filter / 4u;
    let first = first_of(spot);
    var sum = vec4<i32>(0);
    for (var r = 0u; r < u.p.kernel_height; r++) {
        let y = under(spot.row, r, u.p.stride_height, u.p.dilation_height, u.p.pad_top, u.p.height);
        if (y < 0) { continue; }
        for (var s = 0u; s < u.p.kernel_width; s++) {
            let x = under(spot.column, s, u.p.stride_width, u.p.dilation_width, u.p.pad_left, u.p.width);
            if (x < 0) { continue; }
            let start = (first + u32(y) * u.p.x_row + u32(x) * u.p.x_column) / 4u;
            let tap = (spot.image * u.p.w_image + spot.channel * u.p.w_filter
                + (r * u.p.kernel_width + s) * u.p.w_tap) / 4u;
            for (var k = 0u; k < u.p.group_inputs / 4u; k++) {
                let values = four_x(start + k, x_zero);
                let a = values * four_w(tap + k, vec4<i32>(w_zero.x));
                let b = values * four_w(tap + k + step, vec4<i32>(w_zero.y));
                let c = values * four_w(tap + k + 2u * step, vec4<i32>(w_zero.z));
                let d = values * four_w(tap + k + 3u * step, vec4<i32>(w_zero.w));
                sum += vec4<i32>(a.x, b.x, c.x, d.x) + vec4<i32>(a.y, b.y, c.y, d.y)
                    + vec4<i32>(a.z, b.z, c.z, d.z) + vec4<i32>(a.w, b.w, c.w, d.w);
            }
        }
    }
    return sum;
}

// The four elements from i on, as a word.
fn word_of(i: u32) -> u32 {
    let spot = spot_of(i);
    let c = spot.channel;
    let x_zero = x_zero_of(spot.row);
    if (LANES == 1u) {
        let sum = of_pixels(spot, x_zero, vec4<i32>(w_zero_of(c)));
        return packed(vec4<i32>(
            finished(sum.x, c), finished(sum.y, c), finished(sum.z, c), finished(sum.w, c),
        ));
    }
    let w_zero = vec4<i32>(w_zero_of(c), w_zero_of(c + 1u), w_zero_of(c + 2u), w_zero_of(c + 3u));
    var sum = vec4<i32>(0);
    if (LANES == 2u) { sum = of_columns(spot, x_zero, w_zero); }
    if (LANES == 3u) { sum = of_filters(spot, x_zero, w_zero); }
    return packed(vec4<i32>(
        finished(sum.x, c), finished(sum.y, c + 1u), finished(sum.z, c + 2u), finished(sum.w, c + 3u),
    ));
}

fn packed(elements: vec4<i32>) -> u32 {
    let low = bitcast<vec4<u32>>(elements) & vec4<u32>(0xffu);
    return low.x | (low.y << 8u) | (low.z << 16u) | (low.w << 24u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let t = thread_index(group, groups, thread);
    if (LANES == 0u) {
        put(KIND, t, u.p.count);
    } else if (4u * t < u.p.count) {
        store(OUT0, u.more.z + t, word_of(4u * t));
    }
}
