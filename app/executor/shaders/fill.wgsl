// y[i] = value, pairs of words alike; the bytes of the last word after the tensor are zero.

struct Params {
    count: u32,
    even: u32,
    odd: u32,
    last: u32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    var value = select(u.p.even, u.p.odd, i % 2u == 1u);
    if (i + 1u == u.p.count) { value = u.p.last; }
    store(OUT0, u.more.z + i, value);
}
