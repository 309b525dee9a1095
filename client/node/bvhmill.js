// The engine: reads, checks, solves and converts BVH and .anim clips in a
// WebAssembly module. For Node, pages and workers; no dependencies.
//
//   const engine = await load();
//   const { report } = engine.validate(bytes);
//   const options = { emit: ['positions'], fps: 30 };
//   const { outputs } = engine.convert(bytes, options);
//   outputs.positions.data;   // Float32Array of outputs.positions.shape
//
// Options are those of docs/options.md, as the keys of JSON. A broken clip is a
// result, not an exception; bad options throw a BvhmillError.

// absl::StatusCode.
const CODES = [
  'OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED',
  'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL',
  'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED',
];

// TextKind of wasm/api.cc.
const TEXT = {
  about: 0, status: 1, report: 2, info: 3, measures: 4, outputs: 5, issues: 6,
  soFar: 7, catalogue: 8,
};

// The decoders for the encodings that the library names as iconv does.
const DECODERS = {
  CP932: 'shift_jis', GB18030: 'gb18030', BIG5: 'big5', CP949: 'euc-kr',
};

// Bytes are copied to the module in pieces of this size.
const PIECE_BYTES = 1 << 20;

const utf8 = new TextDecoder();

export class BvhmillError extends Error {
  constructor({ code, reason = '', field = '', message, args = {} }) {
    super(field ? `${field}: ${message}` : message);
    this.name = 'BvhmillError';
    Object.assign(this, { code, reason, field, args });
  }
}

// `from`: the module, its bytes, a Response or its URL. The default is the file
// beside this one.
export async function load(from = new URL('./bvhmill.wasm', import.meta.url)) {
  const engine = new Engine(await compile(from));
  engine.about();
  return engine;
}

async function compile(from) {
  if (from instanceof WebAssembly.Module) return from;
  if (from instanceof URL || typeof from === 'string') {
    const url = new URL(from, import.meta.url);
    if (url.protocol === 'file:') {
      const { readFile } = await import('node:fs/promises');
      return WebAssembly.compile(await readFile(url));
    }
    from = await fetch(url);
  }
  if (typeof Response !== 'undefined' && from instanceof Response) {
    return WebAssembly.compile(await from.arrayBuffer());
  }
  return WebAssembly.compile(from);
}

class Engine {
  #module;
  #instance = null;

  constructor(module) {
    this.#module = module;
  }

  // The version of the engine and the vectors that it uses.
  about() {
    return this.#text(TEXT.about);
  }

  // Every issue that a report can list: an array of { code, lenient, strict,
  // title, message, help }; lenient and strict are severities.
  catalogue() {
    return this.#text(TEXT.catalogue);
  }

  #text(kind) {
    const clip = this.open();
    try {
      return clip._json(kind);
    } finally {
      clip.close();
    }
  }

  // The result of a clip without its outputs: { status, report, info, measures
  // }, which docs/cli-json.md describes. Formats of options.emit are checked.
  validate(bytes, options = {}) {
    const { outputs, ...result } =
        this.convert(bytes, { ...options, checks_only: true });
    return result;
  }

  // The result with its outputs: an object by id, each with its `data`, which
  // is a Float32Array of `shape` or a Uint8Array.
  convert(bytes, options = {}) {
    const clip = this.open(options);
    try {
      clip.add(bytes);
      return clip.finish();
    } finally {
      clip.close();
    }
  }

  // Begins a clip whose bytes arrive in pieces. `format` of the options is
  // 'bvh', the default, or 'anim'.
  open(options = {}) {
    if (this.#instance === null || this.#instance.failed) {
      this.#instance = new Instance(this.#module);
    }
    return new Clip(this.#instance, options);
  }
}

// One clip. Call close() at the end: its memory in the module is then free.
class Clip {
  #instance;
  #session;
  #outputs = [];

  constructor(instance, options) {
    const {
      checks_only: checksOnly = false, format = 'bvh', ...rest
    } = options;
    this.#instance = instance;
    const text = new TextEncoder().encode(JSON.stringify(rest));
    this.#session = instance.run((exports) => {
      const at = instance.put(text);
      const session = exports.bvhmill_open(
          at, text.length, checksOnly ? 1 : 0, format === 'anim' ? 1 : 0);
      exports.bvhmill_free(at);
      return session;
    });
    const status = this._json(TEXT.status);
    if (status.code !== 0) {
      this.close();
      throw new BvhmillError({ ...status, code: CODES[status.code] });
    }
  }

  // Reads the next bytes, a Uint8Array or an ArrayBuffer. False if no more are
  // needed.
  add(bytes) {
    const all = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
    return this.#run((exports) => {
      let wants = true;
      for (let i = 0; i < all.length; i += PIECE_BYTES) {
        const piece = all.subarray(i, i + PIECE_BYTES);
        const at = this.#instance.put(piece);
        wants = exports.bvhmill_add(this.#session, at, piece.length) !== 0;
        exports.bvhmill_free(at);
      }
      return wants;
    });
  }

  // Ends the clip and returns its result.
  finish() {
    const receiver = {
      begin: (outputs) => {
        this.#outputs = outputs.map((output) => new Output(output));
      },
      data: (output, bytes) => this.#outputs[output].add(bytes),
    };
    this.#run((exports) => {
      this.#instance.receive(this.#session, receiver);
      exports.bvhmill_finish(this.#session);
    });
    const status = named(this._json(TEXT.status));
    const outputs = {};
    const described = status.code === 'OK' ? this._json(TEXT.outputs) : [];
    described.forEach((output, i) => {
      // Rows that are only kept have no name.
      if (output.id === '') return;
      output.status = named(output.status);
      output.data = output.status.code === 'OK' && this.#outputs[i]
          ? this.#outputs[i].data() : null;
      outputs[output.id] = output;
    });
    this.#outputs = [];
    return {
      status,
      report: this._json(TEXT.report),
      info: this._json(TEXT.info),
      measures: this._json(TEXT.measures),
      outputs,
    };
  }

  // The frames that poses() has: those that are read; after finish() those of
  // the edited clip, or 0 if it has outputs.
  get frames() {
    return this.#run((exports) => exports.bvhmill_frames(this.#session));
  }

  // The part of the clip that `frames` counts: { declared_frames, info }. info
  // is null before the first row is read.
  soFar() {
    return this._json(TEXT.soFar);
  }

  // The values of channels: a Float32Array of (frames, channels).
  values(first, count) {
    return this.#run((exports) => {
      const columns = exports.bvhmill_columns(this.#session);
      const frames = exports.bvhmill_frames(this.#session);
      const at = exports.bvhmill_values(this.#session);
      return new Float32Array(exports.memory.buffer, at, columns * frames)
          .slice(columns * first, columns * (first + count));
    });
  }

  // The positions of frames: a Float32Array of (frames, nodes, xyz). End sites
  // are nodes, too.
  poses(first, count) {
    return this.#run((exports) => {
      const size = exports.bvhmill_poses(this.#session, first, count);
      const at = exports.bvhmill_positions(this.#session);
      return new Float32Array(exports.memory.buffer, at, size).slice();
    });
  }

  // The issues that no earlier call returned; none after finish().
  issues() {
    return this._json(TEXT.issues).issues;
  }

  close() {
    if (this.#session === 0) return;
    if (!this.#instance.failed) {
      this.#instance.receive(this.#session, null);
      this.#run((exports) => exports.bvhmill_close(this.#session));
    }
    this.#session = 0;
  }

  // For this file.
  _json(kind) {
    return this.#run((exports) => {
      const size = exports.bvhmill_text(this.#session, kind);
      const at = exports.bvhmill_text_bytes(this.#session);
      return JSON.parse(this.#instance.text(at, size));
    });
  }

  #run(call) {
    if (this.#session === 0) throw new Error('the clip is closed');
    return this.#instance.run(call);
  }
}

function named(status) {
  return { ...status, code: CODES[status.code] };
}

// The bytes of an output, which arrive in pieces.
class Output {
  #tensor;
  #bytes;
  #size = 0;

  constructor({ size_bytes: size, shape }) {
    this.#tensor = shape !== null;
    const bytes = shape ? shape.reduce((n, of) => n * of, 4) : size;
    this.#bytes = new Uint8Array(Math.max(bytes, 0));
  }

  add(bytes) {
    const size = this.#size + bytes.length;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#size);
    this.#size = size;
  }

  data() {
    return this.#tensor
        ? new Float32Array(this.#bytes.buffer, 0, this.#size / 4)
        : this.#bytes.subarray(0, this.#size);
  }
}

// The module with its memory. It is void after a trap, such as no memory.
class Instance {
  #failed = false;
  #receivers = new Map();

  constructor(module) {
    const instance = new WebAssembly.Instance(module, {
      bvhmill: this.#functions(),
      wasi_snapshot_preview1: this.#system(),
    });
    this.exports = instance.exports;
    this.exports._initialize();
  }

  get failed() {
    return this.#failed;
  }

  run(call) {
    if (this.#failed) throw new Error('the engine has failed before');
    try {
      return call(this.exports);
    } catch (error) {
      this.#failed = true;
      throw new BvhmillError({
        code: 'RESOURCE_EXHAUSTED',
        message: `the engine has stopped, most likely for want of memory: ` +
            error.message,
      });
    }
  }

  // Copies bytes to memory that the caller frees.
  put(bytes) {
    const at = this.exports.bvhmill_alloc(Math.max(bytes.length, 1));
    if (at === 0) throw new Error('no memory');
    this.#bytes(at, bytes.length).set(bytes);
    return at;
  }

  text(at, size) {
    return utf8.decode(this.#bytes(at, size));
  }

  receive(session, receiver) {
    if (receiver === null) {
      this.#receivers.delete(session);
    } else {
      this.#receivers.set(session, receiver);
    }
  }

  // Memory may have moved since the last call.
  #bytes(at, size) {
    return new Uint8Array(this.exports.memory.buffer, at, size);
  }

  #functions() {
    return {
      begin: (session, at, size) => {
        this.#receivers.get(session).begin(JSON.parse(this.text(at, size)));
      },
      data: (session, output, at, size) => {
        this.#receivers.get(session).data(output, this.#bytes(at, size));
      },
      decode: (name, nameSize, at, size, out, room) => {
        const encoding = this.text(name, nameSize);
        const text = decode(encoding, this.#bytes(at, size));
        if (text === null) return -1;
        return new TextEncoder().encodeInto(text, this.#bytes(out, room))
            .written;
      },
    };
  }

  // The functions of WASI that the module imports. It has a clock and no files.
  #system() {
    const badFile = 8;
    const view = () => new DataView(this.exports.memory.buffer);
    return {
      clock_time_get: (id, precision, out) => {
        const now = BigInt(Math.round(performance.now() * 1e6));
        view().setBigUint64(out, now, true);
        return 0;
      },
      random_get: (at, size) => {
        crypto.getRandomValues(this.#bytes(at, size));
        return 0;
      },
      // Only messages of the C library before it aborts.
      fd_write: (file, pieces, count, written) => {
        let size = 0;
        for (let i = 0; i < count; ++i) {
          const at = view().getUint32(pieces + 8 * i, true);
          const length = view().getUint32(pieces + 8 * i + 4, true);
          console.error(this.text(at, length));
          size += length;
        }
        view().setUint32(written, size, true);
        return 0;
      },
      fd_read: () => badFile,
      fd_seek: () => badFile,
      fd_close: () => badFile,
      fd_fdstat_get: () => badFile,
      fd_prestat_get: () => badFile,
      fd_prestat_dir_name: () => badFile,
      environ_sizes_get: (count, size) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      sched_yield: () => 0,
      proc_exit: (code) => {
        throw new Error(`the module exits with ${code}`);
      },
    };
  }
}

// The text of bytes; null if they are not valid for iconv. Decoders differ in
// what they take for a character, most of all those of Node and of browsers.
function decode(encoding, bytes) {
  if (encoding === 'GB18030' && hasByte80(bytes)) return null;
  let text = '';
  try {
    text = new TextDecoder(DECODERS[encoding], { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
  if (encoding === 'CP932') return withOwnControls(text);
  // Control characters and characters of private use: invalid bytes of Big5 and
  // CP949.
  const isOdd = encoding !== 'GB18030' && /[\x80-\x9f\ue000-\uf8ff]/.test(text);
  return isOdd ? null : text;
}

// True if the byte 0x80 stands where a character begins.
function hasByte80(bytes) {
  for (let i = 0; i < bytes.length; i += bytes[i] < 0x80 ? 1 : 2) {
    if (bytes[i] === 0x80) return true;
  }
  return false;
}

// Node decodes three control characters of Shift-JIS as each other.
function withOwnControls(text) {
  const controls = new TextDecoder('shift_jis').decode(
      Uint8Array.of(0x1a, 0x1c, 0x7f));
  return text.replace(/[\x1a\x1c\x7f]/g,
                      (c) => '\x1a\x1c\x7f'[controls.indexOf(c)]);
}
