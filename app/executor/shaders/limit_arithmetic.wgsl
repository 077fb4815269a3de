// Multiplies and adds in registers: as many operations a second as there can be. Written apart,
// because a software device computes fma() by a slow function.
@group(0) @binding(0) var<storage, read_write> memory: array<vec4<u32>>;

// 256 rounds of 4 independent chains of 4 lanes, 2 operations each: 8,192 a thread.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let factor = bitcast<vec4<f32>>(memory[0]);
    var a = vec4<f32>(f32(id.x));
    var b = a + 1.0;
    var c = a + 2.0;
    var d = a + 3.0;
    for (var round = 0u; round < 256u; round += 1u) {
        a = a * factor + factor;
        b = b * factor + factor;
        c = c * factor + factor;
        d = d * factor + factor;
    }
    memory[id.x] = bitcast<vec4<u32>>(a + b + c + d);
}
