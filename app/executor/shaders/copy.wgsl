// y[b + i] = x[a + i], word by word: four words a thread, neighbours by neighbours.

struct Params {
    count: u32,
    x: u32,
    y: u32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = group_number(group, groups) * 256u + thread;
    for (var k = 0u; k < 4u; k++) {
        let i = first + k * 64u;
        if (i < u.p.count) {
            store(OUT0, u.more.z + u.p.y + i, load(IN0, u.inputs.x + u.p.x + i));
        }
    }
}
