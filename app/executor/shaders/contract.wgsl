// y[i] = the sum of a * b over some dimensions; each dimension of y and each that is summed has
// its own stride in a and in b, 0 where the operand does not have it.

// 1 where there is a b.
override PAIR: u32 = 0u;

struct Params {
    count: u32,
    terms: u32,
    // Numbers of dimensions of y, and of those that are summed, innermost first.
    rank: u32,
    sum_rank: u32,
    dims: array<vec4<u32>, 2>,
    a: array<vec4<u32>, 2>,
    b: array<vec4<u32>, 2>,
    sum_dims: array<vec4<u32>, 2>,
    sum_a: array<vec4<u32>, 2>,
    sum_b: array<vec4<u32>, 2>,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    var start = vec2<u32>(0u, 0u);
    var rest = i;
    for (var d = 0u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        start += rest % size * vec2<u32>(u.p.a[d / 4u][d % 4u], u.p.b[d / 4u][d % 4u]);
        rest = rest / size;
    }
    var sum = 0.0;
    for (var term = 0u; term < u.p.terms; term++) {
        var at = start;
        var left = term;
        for (var d = 0u; d < u.p.sum_rank; d++) {
            let size = u.p.sum_dims[d / 4u][d % 4u];
            at += left % size * vec2<u32>(u.p.sum_a[d / 4u][d % 4u], u.p.sum_b[d / 4u][d % 4u]);
            left = left / size;
        }
        if (PAIR == 1u) { sum += in0(at.x) * in1(at.y); } else { sum += in0(at.x); }
    }
    out0(i, sum);
}
