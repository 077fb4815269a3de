// ONNX Runtime Web in a worker of the page: opens a model on its WebGPU provider, runs it
// `runs` times and answers with the times, the outputs and what gpu_buffers.mjs saw.
import "./gpu_buffers.mjs";
import * as ort from "./ort/ort.webgpu.bundle.min.mjs";

ort.env.wasm.wasmPaths = new URL("./ort/", import.meta.url).href;
ort.env.wasm.numThreads = 1;

async function measured({ model, feeds, optimisation, runs }) {
  const session = await ort.InferenceSession.create(new Uint8Array(await model.arrayBuffer()), {
    executionProviders: ["webgpu"],
    graphOptimizationLevel: optimisation,
  });
  const before = gpuBuffers.read();
  const tensors = {};
  for (const { name, dims, data } of feeds) {
    tensors[name] = new ort.Tensor("float32", new Float32Array(await data.arrayBuffer()), dims);
  }
  const times = [];
  let outputs;
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    outputs = await session.run(tensors);
    times.push(performance.now() - start);
  }
  const { peak } = gpuBuffers.read();
  await session.release();
  return {
    times,
    peak: peak.total,
    weights: before.live.storage,
    activations: peak.storage - before.live.storage,
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, [...data]])),
  };
}

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ done: await measured(data) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
});
postMessage("ready");
