// Writes a pattern into a range of the arena or of its shadow.

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var i = id.x; i < p.words; i += 64u * groups.x) {
        if (p.into == 0u) {
            arena[p.first + i] = p.pattern;
        } else {
            shadow[p.first + i] = p.pattern;
        }
    }
}
