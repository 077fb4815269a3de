// y[r, i] = softmax over the quantised elements of row r of x, with e^-d from a table and 12 binary digits before the point of the sum; or its logarithm, or x over their norm, where MODE chooses.

override KIND: u32 = 8u;
override TO: u32 = 8u;
// 1 where the table has floats.
override REAL: u32 = 0u;
// 0 softmax, 1 its logarithm, 2 division by the norm.
override MODE: u32 = 0u;

struct Params {
    count: u32,
    // Elements of a row.
    size: u32,
    lowest: i32,
    highest: i32,
    // Of a table of floats: what the whole is in steps of y, and the zero point of y.
    whole: f32,
    zero: i32,
    x_zero: i32,
    // Of a logarithm: mantissa and shift of what makes it steps of x, and the least difference
    // to the largest element that counts in sums.
    back_mantissa: i32,
    back_shift: i32,
    least: i32,
    // Of a norm: how many of 7 places are added before the division.
    places: u32,
}

// Of the row that was looked at last: a word mostly lies in one.
var<private> seen: u32 = 0xffffffffu;
var<private> largest: i32 = 0;
var<private> scale: i32 = 0;
var<private> above: i32 = 0;
var<private> reals: f32 = 0.0;

// e^-d, where d is counted in steps of x.
fn exp_of(d: i32) -> i32 {
    if (KIND == I16) { return narrow(I16, IN1, u.inputs.y, u32(d)); }
    return bitcast<i32>(load(IN1, u.inputs.y + u32(d)));
}

// 1 / (1 + x) of 16 bits, on the line between two ends of stretches.
fn share_of(x: i32) -> i32 {
    let at = u.inputs.z + u32(256 + (x >> 7u));
    let low = bitcast<i32>(load(IN2, at));
    let slope = bitcast<i32>(load(IN2, at + 1u)) - low;
    return low + ((slope * (x & 0x7f) + 64) >> 7u);
}

fn saturating_shift(x: i32, by: u32) -> i32 {
    let most = 0x7fffffff >> by;
    if (x > most) { return 0x7fffffff; }
    if (x < -most - 1) { return bitcast<i32>(0x80000000u); }
    return x << by;
}

fn look(row: u32) {
    seen = row;
    let start = row * u.p.size;
    largest = -32768;
    for (var i = 0u; i < u.p.size; i++) {
        largest = max(largest, narrow(KIND, IN0, u.inputs.x, start + i));
    }
    reals = 0.0;
    var sum = 0;
    if (KIND == I16) {
        for (var i = 0u; i < u.p.size; i++) {
            sum += exp_of(largest - narrow(KIND, IN0, u.inputs.x, start + i));
        }
        let zeros = countLeadingZeros(bitcast<u32>(sum));
        let fraction = ((bitcast<u32>(sum) << (zeros - 1u)) + 8192u) >> 14u;
        scale = share_of(clamp(i32(fraction) - 98304, -32768, 32767));
        above = 31 - i32(zeros);
        return;
    }
    for (var i = 0u; i < u.p.size; i++) {
        let d = largest - narrow(KIND, IN0, u.inputs.x, start + i);
        sum += rounded_shift(exp_of(d), 12);
        reals += bitcast<f32>(exp_of(d));
    }
    if (REAL == 1u) { return; }
    if (MODE == 1u) {
        scale = logarithm(sum);
        let nearest = times(scale + bitcast<i32>(0x80000000u), u.p.back_mantissa, u.p.back_shift);
        above = max(u.p.least - 1, nearest);
        return;
    }
    let zeros = countLeadingZeros(bitcast<u32>(sum));
    above = 12 - i32(zeros);
    scale = share_of_whole(bitcast<i32>((bitcast<u32>(sum) << zeros) - 0x80000000u));
}

// 1 / (1 + x), both of 31 binary places.
fn share_of_whole(x: i32) -> i32 {
    // Half of 1 + x, to nearest.
    let half = bitcast<i32>((bitcast<u32>(x) + 0x80000000u) >> 1u);
    var guess = 1515870810 + high_product(half, -1010580540);
    for (var n = 0u; n < 3u; n++) {
        let missing = (1 << 29u) - high_product(half, guess);
        guess += saturating_shift(high_product(missing, guess), 2u);
    }
    return saturating_shift(guess, 1u);
}

// The natural logarithm, in 26 binary places, of x from 1 on in 19 of them.
fn logarithm(x: i32) -> i32 {
    let half_root = 1518500250;
    let half_fourth_root = 1805811301;
    let quarter = 1 << 23u;
    let zeros = countLeadingZeros(x);
    let first = saturating_shift(high_product(x << u32(zeros - 1), half_root), 1u);
    let headroom = countLeadingZeros(high_product(x, half_root)) - 1;
    let rest = min(first, saturating_shift(x, u32(headroom)));
    let power = max(((12 - zeros) << 25u) + quarter, ((12 - headroom) << 25u) - quarter);
    let middle = bitcast<i32>((bitcast<u32>(rest) + bitcast<u32>(half_fourth_root) + 1u) >> 1u);
    let far = (rest - half_fourth_root) * 2;
    let square = high_product(far, far);
    let above = high_product(far, rest) + high_product(high_product(far, square), 117049297);
    let inner = 1057819769 + far + high_product(127690142, square);
    let below = high_product(middle, inner) + high_product(638450708, far);
    let quotient = high_product(rounded_shift(above, 6), share_of_whole(below));
    return saturating_shift(high_product(power, 1488522236) + quotient, 1u);
}

// 1 / sqrt(x) for x from 2 on, else 1: a number of 31 binary places and a power of two.
fn inverse_root(square: i32) -> vec2<i32> {
    if (square <= 1) { return vec2(0x7fffffff, 0); }
    var x = square;
    var shift = 11;
    while (x >= (1 << 29u)) {
        x /= 4;
        shift++;
    }
    let pairs = (countLeadingZeros(x) - 1) / 2 - 1;
    shift -= pairs;
    let half = rounded_shift((x << u32(2 * pairs)) >> 1u, 1);
    var root = 1 << 28u;
    for (var n = 0u; n < 5u; n++) {
        let cube = saturating_shift(high_product(high_product(root, root), root), 6u);
        let most = high_product((1 << 28u) + (1 << 27u), root);
        root = saturating_shift(most - high_product(half, cube), 3u);
    }
    root = high_product(root, 1518500250);
    return vec2(root << u32(max(-shift, 0)), -max(shift, 0));
}

fn look_at_norm(row: u32) {
    seen = row;
    var sum = 0;
    for (var i = 0u; i < u.p.size; i++) {
        let x = narrow(KIND, IN0, u.inputs.x, row * u.p.size + i) - u.p.x_zero;
        sum += x * x;
    }
    let root = inverse_root(sum);
    scale = root.x;
    above = root.y + 7 - i32(u.p.places);
}

fn result(i: u32) -> vec2<u32> {
    let row = i / u.p.size;
    if (MODE == 2u) {
        if (row != seen) { look_at_norm(row); }
        let x = narrow(KIND, IN0, u.inputs.x, i) - u.p.x_zero;
        let y = times(x << u.p.places, scale, above) + u.p.zero;
        return bits_of_int(clamp(y, u.p.lowest, u.p.highest));
    }
    if (row != seen) { look(row); }
    let d = largest - narrow(KIND, IN0, u.inputs.x, i);
    if (MODE == 1u) {
        if (-d <= above) { return bits_of_int(u.p.lowest); }
        let y = rounded_shift(bitcast<i32>(load(IN2, u.inputs.z + u32(d))) - scale, 22) + u.p.highest;
        return bits_of_int(clamp(y, u.p.lowest, u.p.highest));
    }
    if (REAL == 1u) {
        let share = element_of(bitcast<f32>(exp_of(d)) * u.p.whole / reals);
        return bits_of_int(clamp(share + u.p.zero, u.p.lowest, u.p.highest));
    }
    if (KIND == I16) {
        let product = exp_of(d) * scale + (1 << u32(above - 1));
        return bits_of_int(clamp(product >> u32(above), u.p.lowest, u.p.highest));
    }
    let share = rounded_shift(high_product(scale, exp_of(d)), above + 31 - i32(bits_of(TO)));
    return bits_of_int(clamp(share + u.p.lowest, u.p.lowest, u.p.highest));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(TO, thread_index(group, groups, thread), u.p.count);
}
