// y = the sum, or the product, of the elements of the row of x up to this one.

// 0 for floats, 1 for 32-bit and 2 for 64-bit integers.
override TYPE: u32 = 0u;
// 1 for products.
override PRODUCT: u32 = 0u;
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

fn run_floats(start: u32) {
    var sum = select(0.0, 1.0, PRODUCT == 1u);
    for (var i = 0u; i < u.p.rows.len; i++) {
        let at = start + place(i);
        let x = in0(at);
        var next = sum + x;
        if (PRODUCT == 1u) { next = sum * x; }
        out0(at, select(next, sum, EXCLUSIVE == 1u));
        sum = next;
    }
}

fn run_ints(start: u32) {
    let words = select(1u, 2u, TYPE == 2u);
    var sum = vec2<u32>(PRODUCT, 0u);
    for (var i = 0u; i < u.p.rows.len; i++) {
        let at = words * (start + place(i));
        var x = vec2<u32>(load(IN0, u.inputs.x + at), 0u);
        if (TYPE == 2u) { x.y = load(IN0, u.inputs.x + at + 1u); }
        var next = add64(sum, x);
        if (PRODUCT == 1u) { next = mul64(sum, x); }
        let y = select(next, sum, EXCLUSIVE == 1u);
        store(OUT0, u.more.z + at, y.x);
        if (TYPE == 2u) { store(OUT0, u.more.z + at + 1u, y.y); }
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
    if (TYPE == 0u) { run_floats(start); } else { run_ints(start); }
}
