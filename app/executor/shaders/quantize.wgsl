// y[i] = x[i] / scale[c] to nearest plus zero[c], within the range of the type KIND; c is the index of i along an axis.

override KIND: u32 = 8u;
// 1 where ties go away from zero, as in TFLite; else to even.
override AWAY: u32 = 0u;

fn nearest(x: f32) -> f32 {
    if (AWAY == 0u) { return round(x); }
    let size = trunc(abs(x));
    return sign(x) * select(size, size + 1.0, abs(x) - size >= 0.5);
}

// a / b as far as its nearest whole number goes: a quotient that may lie on the other side of a tie
// is found by whole numbers.
fn quantised(a: f32, b: f32) -> f32 {
    let found = a / b;
    let off = abs(abs(found - trunc(found)) - 0.5);
    if (abs(found) >= 65536.0 || off > 1e-6 * (1.0 + abs(found))) { return found; }
    return nearest_quotient(a, b);
}

fn result(i: u32) -> vec2<u32> {
    let c = step_of(i);
    if (is_float(KIND)) {
        // The zero point is added, which takes the sign of a zero away.
        let x = in0(i) / in1(c);
        return bits_of_real(KIND, select(x, 0.0, x == 0.0));
    }
    var lowest = 0.0;
    var highest = 0.0;
    switch KIND {
        case 6u: { lowest = -32768.0; highest = 32767.0; }
        case 7u: { highest = 65535.0; }
        case 8u: { lowest = -128.0; highest = 127.0; }
        case 19u: { lowest = -8.0; highest = 7.0; }
        case 20u: { highest = 15.0; }
        case 21u: { lowest = -2.0; highest = 1.0; }
        case 22u: { highest = 3.0; }
        default: { highest = 255.0; }
    }
    var zero = 0.0;
    if (ZEROS == 1u) { zero = real(KIND, raw(KIND, IN2, u.inputs.z, c)); }
    let x = in0(i);
    return whole_of(clamp(nearest(quantised(x, in1(c))) + zero, lowest, highest));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
