// The views under the picture, by the task that shows them, as `app/src/frame/tabs.rs` has them.

const TASKS = {
  compare: ["compare", "differences", "film"],
  explain: ["waste", "held", "segments"],
  change: ["stages", "advice", "sweep", "graph"],
  train: ["training"],
  run: ["run"],
  data: ["operators", "tensors", "notes"],
};

/** The names of all views, as links have them. */
export const VIEWS = Object.values(TASKS).flat();

/** What is clicked, one after the other, to show a view: its task, then its own tab. */
export function steps(view) {
  const found = Object.entries(TASKS).find(([, views]) => views.includes(view));
  if (!found) throw new Error(`no task shows ${view}`);
  const [task, views] = found;
  return views.length > 1 ? [`#task-${task}`, `#tab-${view}`] : [`#task-${task}`];
}

/** Shows a view. */
export async function showView(page, view) {
  for (const step of steps(view)) await page.locator(step).click();
}
