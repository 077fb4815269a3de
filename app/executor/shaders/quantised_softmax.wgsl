// y[r, i] = softmax over the quantised elements of row r of x, with e^-d from a table and 12 binary digits before the point of the sum.

override KIND: u32 = 8u;
// 1 where the table has floats.
override REAL: u32 = 0u;

struct Params {
    count: u32,
    // Elements of a row.
    size: u32,
    lowest: i32,
    highest: i32,
    // Of a table of floats: what the whole is in steps of y, and the zero point of y.
    whole: f32,
    zero: i32,
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
    let zeros = countLeadingZeros(bitcast<u32>(sum));
    above = 12 - i32(zeros);
    let fraction = bitcast<i32>((bitcast<u32>(sum) << zeros) - 0x80000000u);
    // Half of 1 + fraction, to nearest.
    let half = bitcast<i32>((bitcast<u32>(fraction) + 0x80000000u) >> 1u);
    var guess = 1515870810 + high_product(half, -1010580540);
    for (var n = 0u; n < 3u; n++) {
        let missing = (1 << 29u) - high_product(half, guess);
        guess += saturating_shift(high_product(missing, guess), 2u);
    }
    scale = saturating_shift(guess, 1u);
}

fn result(i: u32) -> vec2<u32> {
    let row = i / u.p.size;
    if (row != seen) { look(row); }
    let d = largest - narrow(KIND, IN0, u.inputs.x, i);
    if (REAL == 1u) {
        let share = element_of(bitcast<f32>(exp_of(d)) * u.p.whole / reals);
        return bits_of_int(clamp(share + u.p.zero, u.p.lowest, u.p.highest));
    }
    if (KIND == I16) {
        let product = exp_of(d) * scale + (1 << u32(above - 1));
        return bits_of_int(clamp(product >> u32(above), u.p.lowest, u.p.highest));
    }
    let share = rounded_shift(high_product(scale, exp_of(d)), above + 31 - 8);
    return bits_of_int(clamp(share + u.p.lowest, u.p.lowest, u.p.highest));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
