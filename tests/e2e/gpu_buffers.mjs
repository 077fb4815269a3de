// Counts what this page or worker asks of WebGPU: an observer that knows nothing of the
// program it watches. It comes before the program's own first line, wraps the interface, and
// keeps the sums in `gpuBuffers` on the global scope.
//
// A buffer counts from createBuffer to destroy, its own or its device's. One that is merely
// forgotten stays counted: nobody knows when the browser collects it.
(() => {
  const live = new Map();
  const sums = { total: 0, storage: 0 };
  const peaks = { total: 0, storage: 0 };
  const created = [];

  const add = ({ size, storage }, sign) => {
    sums.total += sign * size;
    if (storage) sums.storage += sign * size;
    for (const kind of Object.keys(sums)) peaks[kind] = Math.max(peaks[kind], sums[kind]);
  };
  const remove = (buffer) => {
    const entry = live.get(buffer);
    if (!entry) return;
    live.delete(buffer);
    add(entry, -1);
  };

  globalThis.gpuBuffers = {
    /** Bytes now and at the most so far, of all buffers and of those with usage STORAGE. */
    read: () => ({ live: { ...sums }, peak: { ...peaks } }),
    /** Forgets the peaks so far. */
    restart: () => Object.assign(peaks, sums),
    /** Every buffer that was ever created: label, bytes, whether STORAGE, in order. */
    created: () => created,
  };
  if (!globalThis.GPUDevice) return;

  const { createBuffer, destroy: destroyDevice } = GPUDevice.prototype;
  const { destroy } = GPUBuffer.prototype;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = createBuffer.call(this, descriptor);
    const { size, usage } = buffer;
    const entry = { label: buffer.label, size, storage: (usage & GPUBufferUsage.STORAGE) !== 0 };
    created.push(entry);
    live.set(buffer, { ...entry, device: this });
    add(entry, 1);
    return buffer;
  };
  GPUBuffer.prototype.destroy = function () {
    remove(this);
    return destroy.call(this);
  };
  GPUDevice.prototype.destroy = function () {
    for (const [buffer, { device }] of [...live]) if (device === this) remove(buffer);
    return destroyDevice.call(this);
  };
})();
