// Reads one clip with the engine. The worker of a take that is shown ends with
// it, since the memory of the module never shrinks. A worker that only reads
// reports opens one small clip after the other.
//
// A message opens the clip; later ones are questions about it, with an
// id that the answer repeats. Questions are answered while the clip is read.

import { Engine, type Clip, type Options } from 'bvhmill';

import { curvesOf } from './curve_data';
import type { Loading, Opening, Question } from './messages';
import { toAnim, jointsOfAnim } from './to_anim';

// More text than this needs more memory than a module can have.
const MOST_BYTES = 2 ** 31;
// Progress is reported at most this often.
const PROGRESS_MS = 50;

let engine: Engine | undefined;
let clip: Clip | null = null;
let hasJoints = false;
let opening: Opening;

self.onmessage = ({ data }: MessageEvent<Loading | Opening | Question>) => {
  if (data.kind === 'load') {
    engine ??= new Engine(data.module);
    return;
  }
  if (data.kind === 'open') {
    open(data).catch((error) => {
      post({ kind: 'failed', message: textOf(error) });
    });
  } else {
    answer(data).then(
        ({ value, transfer }) =>
          post({ kind: 'answer', id: data.id, value }, transfer),
        (error) => post({ kind: 'answer', id: data.id, error: textOf(error) }));
  }
};

function post(message: unknown, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function open(message: Opening): Promise<void> {
  opening = message;
  engine ??= new Engine(message.module);
  clip?.close();
  clip = null;
  hasJoints = false;
  if (message.wantsCatalogue) {
    post({ kind: 'catalogue', entries: engine.catalogue() });
  }
  if (message.via === 'anim') {
    const all = await bytesOf(message.file);
    const anim = toAnim(engine, all, message.options);
    post({ kind: 'joints', names: jointsOfAnim(engine, all) });
    await read([anim], { ...describing(message.options, false) });
  } else {
    await read(await pieces(message.file), message.options);
  }
}

// An .anim states its own units.
function describing(options: Options, isBvh: boolean): Options {
  const { up, units, ...rest } = options;
  return isBvh ? options : rest;
}

// Adds all pieces, and reports the joints and the first pose as soon as they
// are known.
async function read(pieces: Pieces, options: Options): Promise<void> {
  if (opening.file.size > MOST_BYTES) throw tooLarge();
  let bytes = 0;
  let told = 0;
  for await (const piece of pieces) {
    if (clip === null) {
      clip = openFor(piece, options);
    }
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw tooLarge();
    clip.add(piece);
    const now = performance.now();
    if (told === 0 && clip.frames > 0) tellJoints();
    if (now - told > PROGRESS_MS) {
      told = now;
      post({ kind: 'progress', bytes, frames: clip.frames,
             issues: clip.issues() });
    }
  }
  clip ??= openFor(new Uint8Array(), options);
  const hadJoints = clip.frames > 0;
  if (hadJoints) tellJoints();
  const result = clip.finish();
  if (clip.frames > 0) tellJoints();
  if (clip.frames === 0 && hadJoints && !opening.summary) await readAgain();
  post({ kind: 'done', result, bytes, frames: clip.frames });
}

function tooLarge(): Error {
  return new Error('The file has more than 2 GB of text, which is more than ' +
      'a page can hold. Use the command line: bvhmill validate');
}

// A clip with an error has no rows after its end: reads it once more without
// its end, so that the frames before the error can be seen.
async function readAgain(): Promise<void> {
  clip?.close();
  clip = null;
  for await (const piece of await pieces(opening.file)) {
    clip ??= openFor(piece, opening.options);
    clip.add(piece);
  }
}

function openFor(head: Uint8Array, options: Options): Clip {
  // An .anim begins with its version, 1.0, as two numbers of 16 bits.
  const isAnim = head.length >= 4 && head[0] === 1 && head[1] === 0 &&
      head[2] === 0 && head[3] === 0;
  return engine!.open({
    ...describing(options, !isAnim),
    from: isAnim ? 'anim' : 'bvh',
    // The rows of an .anim are only known at its end.
    checks_only: opening.summary && !isAnim,
    measures: !opening.summary,
    max_issues: opening.summary ? 20 : 2000,
  });
}

function tellJoints(): void {
  if (hasJoints || clip === null) return;
  const { info, declared_frames: declared } = clip.soFar();
  if (info === null) return;
  hasJoints = true;
  const poses = clip.poses(0, 1);
  post({ kind: 'skeleton', info, declared, poses }, [poses.buffer]);
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

// The bytes of a file, unpacked if they are gzip.
async function pieces(file: Blob): Promise<Pieces> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const stream = file.stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
  return chunks(isGzip
      ? stream.pipeThrough(new DecompressionStream('gzip')) : stream, isGzip);
}

async function* chunks(stream: ReadableStream<Uint8Array>, isGzip: boolean):
    AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      throw new Error(isGzip
          ? 'The packed file is damaged: it cannot be unpacked'
          : `The file cannot be read: ${textOf(error)}`);
    });
    if (done) return;
    yield value;
  }
}

async function bytesOf(file: Blob): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of await pieces(file)) {
    parts.push(piece as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

interface Answer {
  value: unknown;
  transfer?: Transferable[];
}

async function answer(question: Question): Promise<Answer> {
  if (clip === null) throw new Error('the clip is not open');
  switch (question.kind) {
    case 'poses': {
      const poses = clip.poses(question.first, question.count);
      return { value: poses, transfer: [poses.buffer] };
    }
    case 'samples': return samples(clip, question.frames);
    case 'curves': {
      const { info } = clip.soFar();
      if (info === null) throw new Error('there are no frames');
      return { value: curvesOf(clip, info, question.node, question.what,
                               question.rate, question.buckets) };
    }
    case 'line': return { value: await lineAt(question.offset) };
    case 'convert': {
      const { status, outputs, report } = engine!.convert(
          await bytesOf(opening.file),
          { ...opening.options, ...question.options });
      return { value: { status, outputs, report } };
    }
  }
}

// The positions of all nodes at these frames.
function samples(clip: Clip, frames: number[]): Answer {
  const first = clip.poses(0, 1);
  const out = new Float32Array(frames.length * first.length).fill(NaN);
  const isRun = frames.every((f, i) => f === frames[0] + i);
  if (isRun && frames.length > 0) {
    out.set(clip.poses(frames[0], frames.length));
  } else {
    frames.forEach((f, i) => out.set(clip.poses(f, 1), i * first.length));
  }
  return { value: out, transfer: [out.buffer] };
}

// The line of text around a byte, at most 400 bytes of it, and the column of
// the byte in this part.
async function lineAt(offset: number): Promise<{ text: string; at: number }> {
  const before = 160;
  const from = Math.max(0, offset - before);
  const part = await slice(from, offset + 240);
  const at = offset - from;
  let begin = at;
  while (begin > 0 && part[begin - 1] !== 10 && part[begin - 1] !== 13) --begin;
  let end = at;
  while (end < part.length && part[end] !== 10 && part[end] !== 13) ++end;
  const decoder = new TextDecoder();
  const lead = decoder.decode(part.subarray(begin, at));
  const text = lead + decoder.decode(part.subarray(at, end));
  const cut = begin === 0 && from > 0 ? '...' : '';
  return { text: cut + text, at: cut.length + lead.length };
}

// Bytes `from` to `to` of the unpacked file.
async function slice(from: number, to: number): Promise<Uint8Array> {
  let begin = 0;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of await pieces(opening.file)) {
    const end = begin + piece.length;
    if (end > from && begin < to) {
      parts.push(piece.slice(Math.max(0, from - begin), to - begin));
    }
    begin = end;
    if (begin >= to) break;
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
