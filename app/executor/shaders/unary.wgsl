// y[i] = f(x[i]), where the override OP chooses f; alpha and beta are its parameters.

override OP: u32 = 0u;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i < u.p.count) { out0(target_of(i), unary_of(OP, in0(sources(i).x), u.p.alpha, u.p.beta)); }
}
