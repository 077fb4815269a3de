// Products of matrices, one for each index of their batch dimensions.

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
