// Service worker that has the files of a page while it is reloaded: handles in memory. Nothing is
// copied or stored, no request goes through it, and the browser ends it after some seconds.
const kept = new Map();
addEventListener("install", () => skipWaiting());
addEventListener("message", ({ data: [page, visits], ports: [port] }) => {
  if (visits) {
    kept.set(page, visits);
  } else {
    port.postMessage(kept.get(page));
    kept.delete(page);
  }
});
