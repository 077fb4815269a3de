// y[i] = x[i], converted from the type FROM to the type TO.

override FROM: u32 = 0u;
override TO: u32 = 0u;

struct Params {
    count: u32,
}

fn result(i: u32) -> vec2<u32> {
    let x = raw(FROM, IN0, u.inputs.x, i);
    if (FROM == TO) { return x; }
    if (is_float(FROM) || is_float(TO)) { return bits_of_real(TO, real(FROM, x)); }
    let y = whole(FROM, x);
    if (TO == BOOL) { return vec2<u32>(select(0u, 1u, (y.x | y.y) != 0u), 0u); }
    // Narrower integers keep their low bits.
    return y;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(TO, thread_index(group, groups, thread), u.p.count);
}
