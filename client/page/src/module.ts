// The module of the engine, compiled once, and workers that run it. The page
// loads both from files beside it; the single file has them in its elements.

let compiled: Promise<WebAssembly.Module> | null = null;

export function engineModule(): Promise<WebAssembly.Module> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<WebAssembly.Module> {
  if (SINGLE_FILE) {
    return WebAssembly.compile(await unpacked(inlined('bvhmill-module')));
  }
  const response = await fetch('bvhmill.wasm');
  if (!response.ok) {
    throw new Error(`bvhmill.wasm cannot be loaded: ${response.status}`);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

let workerUrl = '';

// A worker that waits for a clip with its engine loaded, so that the next take
// does not wait for this.
let spare: Worker | null = null;
const SPARE_AFTER_MS = 500;

export function startWorker(): Worker {
  const worker = spare ?? makeWorker();
  spare = null;
  setTimeout(prepareWorker, SPARE_AFTER_MS);
  return worker;
}

export function prepareWorker(): void {
  if (spare !== null) return;
  const worker = spare = makeWorker();
  engineModule().then(
      (module) => worker.postMessage({ kind: 'load', module }),
      // The first clip reports it.
      () => {});
}

function makeWorker(): Worker {
  if (SINGLE_FILE) {
    workerUrl ||= URL.createObjectURL(
        new Blob([inlined('bvhmill-worker')], { type: 'text/javascript' }));
    return new Worker(workerUrl);
  }
  return new Worker(new URL('./worker.ts', import.meta.url),
                    { type: 'module' });
}

function inlined(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

// The bytes of a text that is gzip in base64.
export async function unpacked(base64: string):
    Promise<Uint8Array<ArrayBuffer>> {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream()
      .pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
