// Row i of y is row i of a times one of several matrices: that which the third operand says.

// Words of a number of a matrix: 64-bit ones are read by their lower word.
override INDEX_WORDS: u32 = 1u;

struct Params {
    // Elements of y, its columns, columns of a, and matrices.
    count: u32,
    n: u32,
    k: u32,
    matrices: u32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let row = i / u.p.n;
    let column = i - row * u.p.n;
    let asked = bitcast<i32>(load(IN2, u.inputs.z + row * INDEX_WORDS));
    let matrix = u32(clamp(asked, 0, i32(u.p.matrices) - 1));
    var sum = 0.0;
    for (var t = 0u; t < u.p.k; t++) {
        sum += in0(row * u.p.k + t) * in1((matrix * u.p.k + t) * u.p.n + column);
    }
    out0(i, sum);
}
