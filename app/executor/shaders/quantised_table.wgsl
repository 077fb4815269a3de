// y[i] = table[x[i]] of elements of 8 or 16 bits: what stands at their bits as an unsigned number.

override X: u32 = 8u;
override KIND: u32 = 8u;

struct Params {
    count: u32,
}

fn result(i: u32) -> vec2<u32> {
    return raw(KIND, IN1, u.inputs.y, raw(X, IN0, u.inputs.x, i).x);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
