// Moves the first half of the memory to the second: as many bytes a second as there can be.
@group(0) @binding(0) var<storage, read_write> memory: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let half = arrayLength(&memory) / 2u;
    for (var at = id.x; at < half; at += groups.x * 64u) {
        memory[half + at] = memory[at];
    }
}
