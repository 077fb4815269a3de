// y[i] = a[j] to the power of b[k] for types that differ, A of a and y, B of b; j, k follow from i by broadcasting.

override A: u32 = 0u;
override B: u32 = 2u;

fn result(i: u32) -> vec2<u32> {
    let place = sources(i);
    let a = real(A, raw(A, IN0, u.inputs.x, place.x));
    let b = real(B, raw(B, IN1, u.inputs.y, place.y));
    return bits_of_real(A, power_of(a, b));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(A, thread_index(group, groups, thread), u.p.count);
}
