// y[b, m, n] = activation(alpha * sum over k of a[b, m, k] * b[b, k, n] + beta * c[m, n]).

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
