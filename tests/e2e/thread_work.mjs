// What the page's thread works between two marks, whatever other programs on the machine do.

/** Waits until what was asked before is painted, and marks that. */
export const painted = (page, name) =>
  page.evaluate((name) => new Promise((done) => {
    const mark = () => {
      performance.mark(name);
      setTimeout(done);
    };
    requestAnimationFrame(() => requestAnimationFrame(mark));
  }), name);

/** Milliseconds that the page's thread worked before each mark since the mark before, by name. */
export function worked(events, names) {
  const marks = events.filter(({ name, ph }) => names.includes(name) && ph !== "E");
  marks.sort((a, b) => a.ts - b.ts);
  const [{ pid, tid }] = marks;
  const tasks = events.filter((event) =>
    /RunTask$/.test(event.name) && event.tdur !== undefined && event.pid === pid && event.tid === tid);
  const work = Object.fromEntries(names.map((name) => [name, []]));
  marks.slice(1).forEach(({ name, ts }, before) => {
    const inside = tasks.filter((task) => task.ts + task.dur > marks[before].ts && task.ts < ts);
    work[name].push(inside.reduce((sum, task) => sum + task.tdur / 1000, 0));
  });
  return work;
}
