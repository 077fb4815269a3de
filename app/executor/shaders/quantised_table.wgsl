// y[i] = table[x[i]] of elements of 8 or 16 bits: what stands at their bits as an unsigned number.
// Parts of rows may have a table each.

override X: u32 = 8u;
override KIND: u32 = 8u;

struct Params {
    count: u32,
    // Elements of a row, where its parts have a table each.
    row: u32,
    // How many parts those are, or 0: where each ends in a row stands before the tables.
    parts: u32,
}

fn result(i: u32) -> vec2<u32> {
    let x = raw(X, IN0, u.inputs.x, i).x;
    if (u.p.parts == 0u) { return raw(KIND, IN1, u.inputs.y, x); }
    var part = 0u;
    while (part < u.p.parts && load(IN1, u.inputs.y + part) <= i % u.p.row) { part++; }
    return vec2<u32>(load(IN1, u.inputs.y + u.p.parts + 256u * part + x), 0u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
