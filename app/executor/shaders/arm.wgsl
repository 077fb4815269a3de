// Counts the words of a range of the arena that differ from its shadow, which then follows,
// and fills the range with a pattern, unless it is only to be looked at.

// 0 fills, 1 only looks: a constant, since some devices run both sides of a branch.
override INTO: u32 = 0u;

// A workgroup takes as many words at a time, and each thread four quads of them: uniforms are
// read once, and loops turn seldom.
const CHUNK: u32 = 1024u;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let end = p.first + p.words;
    let stride = CHUNK * groups.x;
    let pattern = vec4<u32>(p.pattern);
    var changed = 0u;
    var at = p.first + CHUNK * group.x;
    for (; at < end && end - at >= CHUNK; at += stride) {
        let w = at + 4u * lane;
        let a = (arena_quad(w) ^ shadow_quad(w)) | (arena_quad(w + 256u) ^ shadow_quad(w + 256u));
        let b = (arena_quad(w + 512u) ^ shadow_quad(w + 512u)) | (arena_quad(w + 768u) ^ shadow_quad(w + 768u));
        if (any((a | b) != vec4<u32>())) { break; }
        if (INTO == 0u) {
            set_arena_quad(w, pattern);
            set_arena_quad(w + 256u, pattern);
            set_arena_quad(w + 512u, pattern);
            set_arena_quad(w + 768u, pattern);
        }
    }
    // From the first chunk of which something differs on, and in one that is not whole, each word
    // is looked at by itself.
    for (; at < end; at += stride) {
        for (var i = 0u; i < 16u; i += 1u) {
            let word = at + 4u * lane + 256u * (i / 4u) + i % 4u;
            if (word >= end) { break; }
            let now = arena_word(word);
            if (now != shadow_word(word)) {
                set_shadow_word(word, now);
                changed += 1u;
            }
            if (INTO == 0u) { set_arena_word(word, p.pattern); }
        }
    }
    if (changed > 0u) { atomicAdd(&results[p.slot], changed); }
}
