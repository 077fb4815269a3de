// y[i] = f(a[j], b[k]) of quantised elements, where OP chooses a sum, a difference or a product; j, k follow from i by broadcasting.

override OP: u32 = 0u;
override A: u32 = 8u;
override B: u32 = 8u;
override KIND: u32 = 8u;

// Number n of the table: zero points of a, b and y, the range of y, and the factors of a, b and y
// as mantissa and shift.
fn fact(n: u32) -> i32 { return bitcast<i32>(load(IN2, u.inputs.z + n)); }

fn result(i: u32) -> vec2<u32> {
    let place = sources(i);
    let a = narrow(A, IN0, u.inputs.x, place.x) - fact(0u);
    let b = narrow(B, IN1, u.inputs.y, place.y) - fact(1u);
    var y = a * b;
    if (OP != 2u) {
        let left = times(a << 20u, fact(5u), fact(6u));
        let right = times(b << 20u, fact(7u), fact(8u));
        y = select(left - right, left + right, OP == 0u);
    }
    let scaled = times(y, fact(9u), fact(10u)) + fact(2u);
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
