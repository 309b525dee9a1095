// An engine in a worker: the methods of Engine, which return promises, so that
// the calling thread is free.
//
//   const result = await engine.convert(file, { emit: ['bvh'], signal });
//   await engine.terminate();
//
// A source of bytes is an ArrayBuffer or a view of one, a Blob, a
// ReadableStream, or an async iterable of these bytes, such as a stream of Node;
// .gz is unpacked. Arrays of results are passed on without a copy. A worker of
// Node that has nothing to do does not keep the process alive.

import { BvhmillError, bytesOf } from './engine.js';

// Messages that wait in the worker, and the bytes of one.
const MOST_WAITING = 4;
const MESSAGE_BYTES = 1 << 20;

export class AsyncEngine {
  #load;
  #startWorker;
  #thread = null;
  #lastClip = 0;
  #terminated = false;

  // `load` resolves to the module, `startWorker` returns a Worker of thread.js.
  constructor(load, startWorker) {
    this.#load = load;
    this.#startWorker = startWorker;
  }

  async about() {
    return (await this.#running().call(0, 'about')).value;
  }

  async catalogue() {
    return (await this.#running().call(0, 'catalogue')).value;
  }

  async validate(source, options = {}) {
    const { outputs, ...result } =
        await this.convert(source, { ...options, checks_only: true });
    return result;
  }

  async convert(source, options = {}) {
    const clip = await this.open(options);
    try {
      await clip.add(source);
      return await clip.finish();
    } finally {
      clip.close();
    }
  }

  // Begins a clip. options.signal aborts it.
  async open(options = {}) {
    const { signal, ...rest } = options;
    signal?.throwIfAborted();
    const clip = new AsyncClip(this.#running(), ++this.#lastClip, signal);
    try {
      await clip._open(rest);
    } catch (error) {
      clip.close();
      throw error;
    }
    return clip;
  }

  // Ends the worker. Calls that wait are rejected, and all later ones.
  async terminate() {
    this.#terminated = true;
    await this.#thread?.stop(terminated());
  }

  // If the worker has failed, the next call has a new one.
  #running() {
    if (this.#terminated) throw terminated();
    if (this.#thread === null || this.#thread.signal.aborted) {
      this.#thread = new Thread(this.#startWorker(), this.#load());
    }
    return this.#thread;
  }
}

if (Symbol.asyncDispose) {
  AsyncEngine.prototype[Symbol.asyncDispose] = AsyncEngine.prototype.terminate;
}

function terminated() {
  return new BvhmillError(
      { code: 'CANCELLED', message: 'the engine is terminated' });
}

class AsyncClip {
  #thread;
  #id;
  #signal;
  #frames = 0;
  #closed = false;

  constructor(thread, id, signal) {
    this.#thread = thread;
    this.#id = id;
    this.#signal = signal ?
      AbortSignal.any([signal, thread.signal]) : thread.signal;
  }

  // As Clip.frames, after the last call that has ended.
  get frames() {
    return this.#frames;
  }

  // For this file.
  _open(options) {
    return this.#call('open', [options]);
  }

  // Reads a source of bytes. False if no more are needed.
  add(source) {
    return this.#thread.whileBusy(() => this.#add(source));
  }

  async #add(source) {
    const chunks = chunksOf(source);
    const waiting = [];
    let wants = true;
    let ended = false;
    try {
      while (wants && !ended) {
        const { done, value } = await this.#unlessAborted(chunks.next());
        ended = done;
        const bytes = ended ? [] : bytesOf(value);
        for (let i = 0; wants && i < bytes.length; i += MESSAGE_BYTES) {
          if (waiting.length === MOST_WAITING) wants = await waiting.shift();
          // The memory of the caller stays where it is.
          const piece = bytes.slice(i, i + MESSAGE_BYTES);
          const answer = this.#call('add', [piece], [piece.buffer]);
          answer.catch(() => {});
          waiting.push(answer);
        }
      }
      for (const answer of waiting) wants = await answer;
    } finally {
      // May wait for a source that does not end.
      if (!ended) Promise.resolve(chunks.return?.()).catch(() => {});
    }
    return wants;
  }

  finish() {
    return this.#call('finish');
  }

  poses(first, count) {
    return this.#call('poses', [first, count]);
  }

  async issues() {
    return this.#call('issues');
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#thread.call(this.#id, 'close').catch(() => {});
  }

  async #call(name, args, transfer) {
    if (this.#closed) {
      throw new BvhmillError(
          { code: 'FAILED_PRECONDITION', message: 'the clip is closed' });
    }
    const { value, frames = this.#frames } = await this.#unlessAborted(
        this.#thread.call(this.#id, name, args, transfer));
    this.#frames = frames;
    return value;
  }

  // Rejects when the signal aborts or the worker stops, whether or not the
  // promise ends.
  #unlessAborted(promise) {
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      Promise.resolve(promise).then(resolve, reject)
          .finally(() => signal.removeEventListener('abort', abort));
    });
  }
}

if (Symbol.dispose) AsyncClip.prototype[Symbol.dispose] = AsyncClip.prototype.close;

// An iterator over the chunks of a source.
function chunksOf(source) {
  if (typeof source?.stream === 'function') return chunksOf(source.stream());
  if (typeof source?.getReader === 'function') {
    const reader = source.getReader();
    return { next: () => reader.read(), return: () => reader.cancel() };
  }
  if (typeof source?.[Symbol.asyncIterator] === 'function') {
    return source[Symbol.asyncIterator]();
  }
  return [bytesOf(source)].values();
}

// A worker with the calls that it has to answer; see thread.js.
class Thread {
  #worker;
  #ready;
  #calls = new Map();
  #lastCall = 0;
  #busy = 0;
  #stop = new AbortController();

  constructor(worker, module) {
    this.#worker = worker;
    this.#listen();
    this.#ready = module.then((module) => worker.postMessage({ module }));
    this.#ready.catch((error) => this.stop(error));
  }

  // Aborted when the worker stops.
  get signal() {
    return this.#stop.signal;
  }

  call(clip, name, args = [], transfer = []) {
    return this.whileBusy(async () => {
      await this.#ready;
      this.signal.throwIfAborted();
      return new Promise((resolve, reject) => {
        const id = ++this.#lastCall;
        this.#post({ id, clip, name, args }, transfer);
        this.#calls.set(id, { resolve, reject });
      });
    });
  }

  // Keeps the process alive until the promise of `work` ends.
  async whileBusy(work) {
    if (++this.#busy === 1) this.#worker.ref?.();
    try {
      return await work();
    } finally {
      if (--this.#busy === 0) this.#worker.unref?.();
    }
  }

  // Rejects all calls with the reason.
  stop(reason) {
    this.#stop.abort(reason);
    for (const { reject } of this.#calls.values()) reject(reason);
    this.#calls.clear();
    return this.whileBusy(() => this.#worker.terminate());
  }

  #post(message, transfer) {
    try {
      this.#worker.postMessage(message, transfer);
    } catch (error) {
      throw new TypeError(error.message);
    }
  }

  #answer({ id, value, frames, error }) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error) {
      call?.reject(errorOf(error));
    } else {
      call?.resolve({ value, frames });
    }
  }

  #listen() {
    const worker = this.#worker;
    if (worker.on) {
      worker.on('message', (message) => this.#answer(message));
      worker.on('error', (error) => this.stop(workerFailure(error)));
    } else {
      worker.onmessage = ({ data }) => this.#answer(data);
      worker.onerror = (event) => this.stop(workerFailure(event));
    }
  }
}

function workerFailure({ code, message }) {
  const isMemory = code === 'ERR_WORKER_OUT_OF_MEMORY';
  return new BvhmillError({
    code: isMemory ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE',
    message: `the worker has stopped: ${message ?? 'its script failed'}`,
  });
}

function errorOf({ name, message, ...rest }) {
  if (name === 'TypeError') return new TypeError(message);
  const code = rest.code ?? 'INTERNAL';
  return Object.assign(
      new BvhmillError({ code, message }), name === 'BvhmillError' ? rest : {});
}
