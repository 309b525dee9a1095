// The entry of the package: an engine in this thread, or in a worker. The file
// bvhmill.wasm lies beside this one.
//
//   const engine = await load();
//   const { report } = engine.validate(bytes);
//
//   const engine = worker();
//   const { report } = await engine.validate(file);

import { AsyncEngine } from './async_engine.js';
import { compile, Engine } from './engine.js';

export { BvhmillError } from './engine.js';

// `from`: the module, its bytes, a Response or its URL.
export async function load(from = defaultModule()) {
  return new Engine(await compile(from));
}

// An AsyncEngine. `module` is as `from` above.
export function worker({ module = defaultModule() } = {}) {
  return new AsyncEngine(() => compile(module), startThread);
}

function defaultModule() {
  return new URL('./bvhmill.wasm', import.meta.url);
}

// Bundlers know `new Worker` by this form.
function startThread() {
  if (typeof Worker !== 'undefined') {
    return new Worker(new URL('./thread.js', import.meta.url),
                      { type: 'module' });
  }
  const threads = process.getBuiltinModule('node:worker_threads');
  return new threads.Worker(new URL('./thread.js', import.meta.url));
}
