/**
 * Natively every case runs on the same kernels. Here a browser's own compiler and checks are at
 * stake, which differ by kernel: every third case of each operator, beginning with its first,
 * unless all are asked for.
 */
const EVERY = process.env.ARENASCOPE_ALL_CASES ? 1 : 3;

export function chosen<Case>(cases: Case[], operator: (one: Case) => string): Case[] {
  const seen = new Map<string, number>();
  return cases.filter((one) => {
    const before = seen.get(operator(one)) ?? 0;
    seen.set(operator(one), before + 1);
    return before % EVERY === 0;
  });
}
