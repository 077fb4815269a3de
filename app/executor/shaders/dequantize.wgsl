// y[i] = scale[c] (x[i] - zero[c]) for integers x of the type KIND, where c is the index of i along an axis.

override KIND: u32 = 8u;
// 1 where there are zero points; else they are 0.
override ZEROS: u32 = 0u;

struct Params {
    count: u32,
    // Elements after the axis, and along it; 1 scale serves all elements.
    inner: u32,
    size: u32,
}

fn result(i: u32) -> vec2<u32> {
    let c = i / u.p.inner % u.p.size;
    var x = whole(KIND, raw(KIND, IN0, u.inputs.x, i));
    if (ZEROS == 1u) { x = sub64(x, whole(KIND, raw(KIND, IN2, u.inputs.z, c))); }
    return vec2<u32>(bitcast<u32>(in1(c) * float_of(true, x)), 0u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(F32, thread_index(group, groups, thread), u.p.count);
}
