// y[b, m, n] = activation(alpha * sum over k of a[b, m, k] * b[b, k, n] + beta * c[m, n]).

// 1 where there is a c.
override BIAS: u32 = 0u;

struct Params {
    m: u32,
    n: u32,
    k: u32,
    batches: u32,
    // Strides of a along m and k, of b along k and n.
    strides: vec4<u32>,
    // Strides of c along m and n, and nothing.
    c_strides: vec4<u32>,
    alpha: f32,
    beta: f32,
    low: f32,
    high: f32,
    // The batch dimensions, innermost first, and their strides in a and b.
    dims: array<vec4<u32>, 2>,
    a: array<vec4<u32>, 2>,
    b: array<vec4<u32>, 2>,
}

// Where the matrices of a batch begin in a and b.
fn batch_start(batch: u32) -> vec2<u32> {
    var rest = batch;
    var start = vec2<u32>(0u, 0u);
    for (var d = 0u; d < 8u && rest > 0u; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        start += rest % size * vec2<u32>(u.p.a[d / 4u][d % 4u], u.p.b[d / 4u][d % 4u]);
        rest = rest / size;
    }
    return start;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.batches * u.p.m * u.p.n) { return; }
    let column = i % u.p.n;
    let row = i / u.p.n % u.p.m;
    let start = batch_start(i / u.p.n / u.p.m);
    var a = start.x + row * u.p.strides.x;
    var b = start.y + column * u.p.strides.w;
    var sum = 0.0;
    for (var k = 0u; k < u.p.k; k++) {
        sum += in0(a) * in1(b);
        a += u.p.strides.y;
        b += u.p.strides.z;
    }
    sum *= u.p.alpha;
    if (BIAS == 1u) { sum += u.p.beta * in2(row * u.p.c_strides.x + column * u.p.c_strides.y); }
    out0(i, activated(sum, u.p.low, u.p.high));
}
