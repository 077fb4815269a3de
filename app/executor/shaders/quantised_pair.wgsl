// y[i] = f(a[j], b[k]) of quantised elements, where OP chooses arithmetic or a comparison; j, k follow from i by broadcasting.

override OP: u32 = 0u;
override A: u32 = 8u;
override B: u32 = 8u;
override KIND: u32 = 8u;

// Number n of the table: zero points of a, b and y, the range of y, the factors of a, b and y
// as mantissa and shift, the places that a and b are shifted by, and the floats that a and b are
// multiplied by and what is added.
fn fact(n: u32) -> i32 { return bitcast<i32>(load(IN2, u.inputs.z + n)); }

fn real_fact(n: u32) -> f32 { return bitcast<f32>(fact(n)); }

fn result(i: u32) -> vec2<u32> {
    let place = sources(i);
    if (OP == 13u) {
        // The table has a result for the bits of both.
        let bits = (raw(A, IN0, u.inputs.x, place.x).x << 8u) | raw(B, IN1, u.inputs.y, place.y).x;
        return raw(KIND, IN2, u.inputs.z, bits);
    }
    let a = narrow(A, IN0, u.inputs.x, place.x) - fact(0u);
    let b = narrow(B, IN1, u.inputs.y, place.y) - fact(1u);
    let places = u32(fact(11u));
    let left = times(a << places, fact(5u), fact(6u));
    let right = times(b << places, fact(7u), fact(8u));
    var y = 0;
    switch OP {
        case 0u: { y = times(left + right, fact(9u), fact(10u)); }
        case 1u: { y = times(left - right, fact(9u), fact(10u)); }
        case 2u: { y = times(a * b, fact(9u), fact(10u)); }
        // Negative ones by the second factor.
        case 3u: { y = select(times(a * b, fact(7u), fact(8u)), left, a >= 0); }
        case 4u: { y = times((left - right) * (left - right), fact(9u), fact(10u)); }
        case 5u: { y = i32(left == right); }
        case 6u: { y = i32(left != right); }
        case 7u: { y = i32(left < right); }
        case 8u: { y = i32(left <= right); }
        case 9u: { y = i32(left > right); }
        case 10u: { y = i32(left >= right); }
        case 11u: { y = element_of(real_fact(14u) + f32(a) * real_fact(12u) + f32(b) * real_fact(13u)); }
        default: { y = element_of(f32(a * b) * real_fact(12u) + real_fact(14u)); }
    }
    let scaled = y + fact(2u);
    return bits_of_int(clamp(scaled, fact(3u), fact(4u)));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
