// As bvhmill.js, but with the module and the worker in this file: for pages of
// one file, and where there is nothing to fetch. make_package.js fills it in.

import { AsyncEngine } from './async_engine.js';
import { compile, Engine } from './engine.js';

export { BvhmillError } from './engine.js';

// The module: base64 of gzip.
const MODULE = '@MODULE@';
// A classic script.
const THREAD = '@THREAD@';

export async function load(from) {
  return new Engine(await compile(from ?? await inlined()));
}

export function worker({ module } = {}) {
  return new AsyncEngine(
      async () => compile(module ?? await inlined()), startThread);
}

async function inlined() {
  const packed = Uint8Array.from(atob(MODULE), (c) => c.charCodeAt(0));
  const bytes = new Blob([packed]).stream()
      .pipeThrough(new DecompressionStream('gzip'));
  return new Response(bytes).arrayBuffer();
}

function startThread() {
  if (typeof Worker === 'undefined') {
    const threads = process.getBuiltinModule('node:worker_threads');
    return new threads.Worker(THREAD, { eval: true });
  }
  const url = URL.createObjectURL(
      new Blob([THREAD], { type: 'text/javascript' }));
  return new Worker(url);
}
