// Recordings with more events than can be held at once: the page asks which.

import { expect, open, ready, test } from "./page";
import { choose, document } from "./session";

const text = (text: string) => Buffer.concat([Buffer.from([0x8c, text.length]), Buffer.from(text)]);

const event = (action: string, place: number) =>
  Buffer.concat([
    Buffer.from("}("),
    text("action"),
    text(action),
    text("addr"),
    Buffer.from("K\0"),
    text("size"),
    Buffer.from("K@"),
    Buffer.from("uq"),
    Buffer.from([place]),
    Buffer.from("0"),
  ]);

/** A pickle of one trace that takes and gives back 64 bytes `pairs` times; each event is two bytes. */
function recording(pairs: number) {
  const batch = Buffer.concat([Buffer.from("h\0h\x01".repeat(500)), Buffer.from("e(")]);
  const head = [
    Buffer.from([0x80, 4]),
    event("alloc", 0),
    event("free", 1),
    Buffer.from("}("),
    text("segments"),
    Buffer.from("]"),
    text("device_traces"),
    Buffer.from("](]("),
  ];
  const batches = Array.from({ length: pairs / 500 }, () => batch);
  return Buffer.concat([...head, ...batches, Buffer.from("eeu.")]);
}

test("of too many events a range is asked for, and what lies outside is said", async ({ page }) => {
  await open(page);
  // 1,048,576 can be held.
  await choose(page, "long.pickle", recording(600_000));
  const dialog = page.locator("dialog.meanings");
  await expect(dialog).toContainText("Which events?");
  await expect(dialog).toContainText("1,200,000 events, of which at most 1,048,576 can be held at once");
  const [first, end] = ["first", "end"].map((name) => dialog.locator(`[data-range="${name}"]`));
  // What is asked comes first, not the button that closes the dialog.
  await expect(first).toBeFocused();
  await expect(first).toHaveValue("0");
  await expect(end).toHaveValue("1048576");
  const go = dialog.getByRole("button", { name: "Open", exact: true });
  await end.fill("1200000");
  await end.blur();
  await expect(go).toBeDisabled();
  await first.fill("1000");
  await end.fill("3000");
  await end.blur();
  await go.click();
  await expect(document(page)).toHaveText("long.pickle");
  await ready(page);
  await expect(dialog).toBeHidden();
  expect(page.url()).toContain("range=1000..3000");
});
