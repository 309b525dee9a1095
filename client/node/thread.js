// The thread of an AsyncEngine: does its calls one after another.
//
// The first message is { module }. Each later one is a call { id, clip, name,
// args }, which is answered by { id, value, frames } or { id, error }. `clip` is
// the number of a clip. `frames` are the frames that it has.

import { BvhmillError, Engine } from './engine.js';

// A thread of Node has another port.
const port = typeof postMessage === 'function' ? globalThis :
    process.getBuiltinModule('node:worker_threads').parentPort;

const GZIP = [0x1f, 0x8b];

let engine;
const clips = new Map();

// A clip whose bytes may be those of a .gz file.
class Source {
  #clip;
  // The first bytes, until there are as many as GZIP has.
  #head = new Uint8Array();
  // Null if the bytes are plain text.
  #writer = null;
  #unpacked = null;
  #wants = true;

  constructor(options) {
    this.#clip = engine.open(options);
  }

  get frames() {
    return this.#clip.frames;
  }

  async add(bytes) {
    if (this.#head !== null) {
      bytes = joined(this.#head, bytes);
      this.#head = bytes;
      if (bytes.length < GZIP.length) return true;
      this.#begin();
    }
    await this.#pass(bytes);
    return this.#wants;
  }

  async finish() {
    if (this.#head !== null) await this.#pass(this.#head);
    if (this.#writer !== null) {
      // The rest of the bytes does not matter after the end of the clip.
      if (this.#wants) await this.#writer.close().catch(() => {});
      await this.#unpacked;
    }
    return this.#clip.finish();
  }

  poses(first, count) {
    return this.#clip.poses(first, count);
  }

  issues() {
    return this.#clip.issues();
  }

  close() {
    this.#writer?.abort().catch(() => {});
    this.#unpacked?.catch(() => {});
    this.#clip.close();
  }

  #begin() {
    const isGzip = GZIP.every((byte, i) => this.#head[i] === byte);
    this.#head = null;
    if (!isGzip) return;
    const gunzip = new DecompressionStream('gzip');
    this.#writer = gunzip.writable.getWriter();
    this.#unpacked = this.#unpack(gunzip.readable.getReader());
    this.#unpacked.catch(() => {});
  }

  async #pass(bytes) {
    if (this.#writer === null) {
      this.#wants = this.#clip.add(bytes);
      return;
    }
    // If this fails, so does the reading, which knows the reason.
    await this.#writer.write(bytes).catch(() => this.#unpacked);
  }

  async #unpack(reader) {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw new BvhmillError({
          code: 'INVALID_ARGUMENT',
          message: `the gzip data are broken: ${error.message}`,
        });
      });
      if (done) return;
      this.#wants = this.#clip.add(value);
      if (this.#wants) continue;
      await reader.cancel();
      return;
    }
  }
}

function joined(a, b) {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

const CALLS = {
  about: () => engine.about(),
  catalogue: () => engine.catalogue(),
  open: (clip, options) => {
    clips.set(clip, new Source(options));
  },
  add: (clip, bytes) => clips.get(clip).add(bytes),
  finish: (clip) => clips.get(clip).finish(),
  poses: (clip, first, count) => clips.get(clip).poses(first, count),
  issues: (clip) => clips.get(clip).issues(),
  close: (clip) => {
    clips.get(clip)?.close();
    clips.delete(clip);
  },
};

async function answer({ id, clip, name, args }) {
  try {
    const value = await CALLS[name](clip, ...args);
    const frames = clips.get(clip)?.frames;
    port.postMessage({ id, value, frames }, buffersOf(value));
  } catch (error) {
    const { name, message, code, reason, field, args } = error;
    port.postMessage(
        { id, error: { name, message, code, reason, field, args } });
  }
}

// The memory of arrays, which is passed on without a copy.
function buffersOf(value) {
  if (ArrayBuffer.isView(value)) return [value.buffer];
  return Object.values(value?.outputs ?? {})
      .filter(({ data }) => data !== null)
      .map(({ data }) => data.buffer);
}

// A call begins when the one before has ended.
let last = Promise.resolve();
function receive(message) {
  if (message.module) {
    engine = new Engine(message.module);
    return;
  }
  last = last.then(() => answer(message));
}

if (port === globalThis) {
  port.onmessage = ({ data }) => receive(data);
} else {
  port.on('message', receive);
}
