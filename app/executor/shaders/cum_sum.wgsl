// y = the sum of the elements of the row of x up to this one.

// 0 for f32, 1 for 32-bit and 2 for 64-bit integers.
override TYPE: u32 = 0u;
// 1 where this one does not count.
override EXCLUSIVE: u32 = 0u;
// 1 where the sum begins at the end.
override REVERSE: u32 = 0u;

struct Params {
    rows: Rows,
}

fn place(i: u32) -> u32 {
    return row_step(select(i, u.p.rows.len - 1u - i, REVERSE == 1u));
}

fn sum_floats(start: u32) {
    var sum = 0.0;
    for (var i = 0u; i < u.p.rows.len; i++) {
        let at = start + place(i);
        let next = sum + in0(at);
        out0(at, select(next, sum, EXCLUSIVE == 1u));
        sum = next;
    }
}

fn sum_ints(start: u32) {
    var sum = 0u;
    for (var i = 0u; i < u.p.rows.len; i++) {
        let at = start + place(i);
        let next = sum + load(IN0, u.inputs.x + at);
        store(OUT0, u.more.z + at, select(next, sum, EXCLUSIVE == 1u));
        sum = next;
    }
}

// Low word and high word, with the carry between them.
fn sum_long_ints(start: u32) {
    var sum = vec2<u32>(0u, 0u);
    for (var i = 0u; i < u.p.rows.len; i++) {
        let at = 2u * (start + place(i));
        let low = sum.x + load(IN0, u.inputs.x + at);
        let carry = select(0u, 1u, low < sum.x);
        let next = vec2<u32>(low, sum.y + load(IN0, u.inputs.x + at + 1u) + carry);
        let y = select(next, sum, EXCLUSIVE == 1u);
        store(OUT0, u.more.z + at, y.x);
        store(OUT0, u.more.z + at + 1u, y.y);
        sum = next;
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let row = thread_index(group, groups, thread);
    if (row >= u.p.rows.count) { return; }
    let start = row_start(row);
    switch TYPE {
        case 0u: { sum_floats(start); }
        case 1u: { sum_ints(start); }
        default: { sum_long_ints(start); }
    }
}
