// y[i] = scale[c] (x[i] - zero[c]) for x of the type KIND, where c is the index of i along an axis.

override KIND: u32 = 8u;

fn result(i: u32) -> vec2<u32> {
    let c = step_of(i);
    if (is_float(KIND)) {
        let x = real(KIND, raw(KIND, IN0, u.inputs.x, i));
        var zero = 0.0;
        if (ZEROS == 1u) { zero = real(KIND, raw(KIND, IN2, u.inputs.z, c)); }
        return bits_of_real(TO, in1(c) * (x - zero));
    }
    var x = whole(KIND, raw(KIND, IN0, u.inputs.x, i));
    if (ZEROS == 1u) { x = sub64(x, whole(KIND, raw(KIND, IN2, u.inputs.z, c))); }
    return bits_of_real(TO, in1(c) * float_of(true, x));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(TO, thread_index(group, groups, thread), u.p.count);
}
