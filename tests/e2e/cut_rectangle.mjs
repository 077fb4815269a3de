// A full rectangle cut into pieces: a problem whose bound is reached.

/** Whole numbers below a limit, the same for every run: minimal standard (Park and Miller 1988). */
export function seeded(seed) {
  return (below) => (seed = (seed * 48271) % 2147483647) % below;
}

/** `capacity` bytes for `steps` steps in `count` pieces `{ size, lower, upper }`. */
export function cutRectangle(next, count, steps, capacity) {
  const pieces = [{ size: capacity, lower: 0, upper: steps }];
  for (let at = 0; pieces.length < count; at = (at + 1) % pieces.length) {
    const piece = pieces[at];
    const inTime = next(2) === 0;
    const side = inTime ? piece.upper - piece.lower : piece.size;
    if (side < 4) continue;
    const middle = (side >> 2) + next((side >> 1) + 1);
    if (inTime) {
      pieces.push({ ...piece, lower: piece.lower + middle });
      piece.upper = piece.lower + middle;
    } else {
      pieces.push({ ...piece, size: piece.size - middle });
      piece.size = middle;
    }
  }
  return pieces;
}

/** The pieces as a CSV. */
export function csv(pieces) {
  const lines = pieces.map(({ size, lower, upper }, id) => `${id},${lower},${upper},${size}`);
  return `id,lower,upper,size\n${lines.join("\n")}\n`;
}
