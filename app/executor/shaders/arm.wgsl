// Counts the words of a range of the arena that differ from its shadow, which then follows,
// and fills the range with a pattern, unless it is only to be looked at.

// A workgroup takes as many words at a time, and each thread four quads of them: uniforms are
// read once, and loops turn seldom.
const CHUNK: u32 = 1024u;

fn differs(w: u32) -> vec4<u32> {
    return arena_quad(w) ^ shadow_quad(w);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let end = p.first + p.words;
    let pattern = p.pattern;
    let fills = p.into == 0u;
    let stride = CHUNK * groups.x;
    var changed = 0u;
    for (var at = p.first + CHUNK * group.x; at < end; at += stride) {
        let w = at + 4u * lane;
        var same = false;
        if (end - at >= CHUNK) {
            let a = differs(w) | differs(w + 256u);
            let b = differs(w + 512u) | differs(w + 768u);
            same = all((a | b) == vec4<u32>());
            if (same && fills) {
                set_arena_quad(w, vec4<u32>(pattern));
                set_arena_quad(w + 256u, vec4<u32>(pattern));
                set_arena_quad(w + 512u, vec4<u32>(pattern));
                set_arena_quad(w + 768u, vec4<u32>(pattern));
            }
        }
        if (same) { continue; }
        for (var i = 0u; i < 16u; i += 1u) {
            let word = w + 256u * (i / 4u) + i % 4u;
            if (word >= end) { break; }
            let now = arena_word(word);
            if (now != shadow_word(word)) {
                set_shadow_word(word, now);
                changed += 1u;
            }
            if (fills) { set_arena_word(word, pattern); }
        }
    }
    if (changed > 0u) { atomicAdd(&results[p.slot], changed); }
}
