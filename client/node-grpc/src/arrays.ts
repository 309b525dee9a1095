// Outputs: their bytes arrive in chunks at odd offsets, and are copied once
// into memory of their own, which is aligned and can be transferred.

import { endianness } from 'node:os';

import { BvhmillError, brokenAnswer, errorOfStatus } from './errors.js';
import type {
  ConvertClipsResponse, OutputChunk,
} from './generated/bvhmill/v1/clip_service.js';
import type {
  ClipResult, Output as OutputMessage,
} from './generated/bvhmill/v1/result.js';
import {
  type Info, type Measures, type Report, infoOf, measuresOf, reportOf,
} from './report.js';

export type ArrayName = 'positions' | 'rotations' | 'velocities' | 'values';

export const ARRAY_NAMES: readonly ArrayName[] =
  ['positions', 'rotations', 'velocities', 'values'];

/** An array: the last axis runs fastest. */
export interface Tensor {
  data: Float32Array<ArrayBuffer>;
  shape: number[];
  /** A name for each axis, such as 'frame', 'joint', 'xyz'. */
  axes: string[];
}

/** A file: npz, csv, bvh, anim or glb. */
export interface File {
  data: Uint8Array<ArrayBuffer>;
  mediaType: string;
}

export type Output = Tensor | File;

/** What a clip became. */
export interface Conversion {
  info: Info;
  report: Report;
  /** Facts about the motion; null without the option `measures`. */
  measures: Measures | null;
  /** The outputs by id. */
  outputs: Record<string, Output>;
  /** Why outputs that are missing could not be made, by id. */
  errors: Record<string, BvhmillError>;
}

// More is not taken on the word of a server.
const FIRST_BYTES = 64 << 20;

/** The bytes of one output. */
export class Bytes {
  #memory: Uint8Array<ArrayBuffer>;
  #size = 0;
  readonly #promised: number;

  /** `promised`: the number of bytes; -1 if it is not known. */
  constructor(promised: number) {
    this.#promised = promised;
    this.#memory = new Uint8Array(Math.max(0, Math.min(promised, FIRST_BYTES)));
  }

  /** Takes the next bytes. */
  add(offset: number, data: Uint8Array): void {
    const size = offset + data.length;
    const isMore = this.#promised >= 0 && size > this.#promised;
    if (offset !== this.#size || isMore) {
      throw brokenAnswer('bytes of an output that nobody announced');
    }
    if (size > this.#memory.length) this.#grow(size);
    this.#memory.set(data, offset);
    this.#size = size;
  }

  #grow(least: number): void {
    const most = this.#promised >= 0 ? this.#promised : Infinity;
    const size = Math.max(least, Math.min(2 * this.#memory.length, most));
    const memory = new Uint8Array(size);
    memory.set(this.#memory.subarray(0, this.#size));
    this.#memory = memory;
  }

  /** All bytes, in memory of exactly their size. */
  take(): ArrayBuffer {
    if (this.#promised >= 0 && this.#size !== this.#promised) {
      throw brokenAnswer('an output that is cut off');
    }
    return this.#size === this.#memory.length ? this.#memory.buffer
      : this.#memory.buffer.slice(0, this.#size);
  }
}

/** The numbers in memory, whose bytes are in the order of the API. */
export function floatsOf(memory: ArrayBuffer): Float32Array<ArrayBuffer> {
  if (endianness() === 'BE') Buffer.from(memory).swap32();
  return new Float32Array(memory);
}

/** An output of its description and its bytes. */
export function outputOf(message: OutputMessage, memory: ArrayBuffer): Output {
  const { tensor, mediaType } = message;
  if (!tensor) return { data: new Uint8Array(memory), mediaType };
  const { shape, axes } = tensor;
  if (4 * shape.reduce((a, b) => a * b, 1) !== memory.byteLength) {
    throw brokenAnswer('an array of another shape');
  }
  return { data: floatsOf(memory), shape, axes };
}

/** A clip that has ended: its result, and the bytes of its outputs. */
export interface Ended {
  result: ClipResult;
  bytes: ArrayBuffer[];
}

/** Puts the outputs of the clips of a stream together. */
export class Assembler {
  readonly #arriving = new Map<string, Bytes[]>();

  /** Takes a message; a clip if it is the last one of it. */
  feed({ frame }: ConvertClipsResponse): Ended | undefined {
    switch (frame?.$case) {
      case 'begin': {
        const { key, outputs } = frame.value;
        this.#arriving.set(key, outputs.map((one) => new Bytes(one.sizeBytes)));
        return undefined;
      }
      case 'outputChunk':
        this.#add(frame.value);
        return undefined;
      case 'result':
        return this.#end(frame.value);
      default:
        return undefined;
    }
  }

  #add({ key, outputIndex, offset, data }: OutputChunk): void {
    const bytes = this.#arriving.get(key)?.[outputIndex];
    if (!bytes) throw brokenAnswer('a chunk of no output');
    bytes.add(offset, data);
  }

  #end(result: ClipResult): Ended {
    const parts = this.#arriving.get(result.key) ?? [];
    this.#arriving.delete(result.key);
    const isGood = (result.status?.code ?? 0) === 0;
    const bytes = result.outputs.map((output, i) => {
      const made = isGood && (output.status?.code ?? 0) === 0;
      if (made && !parts[i]) throw brokenAnswer('an output without bytes');
      return made ? parts[i]!.take() : new ArrayBuffer(0);
    });
    return { result, bytes };
  }
}

/** The conversion of a clip that has ended. BvhmillError if it is refused. */
export function conversionOf({ result, bytes }: Ended,
  name: string): Conversion {
  const report = reportOf(result.report);
  const error = errorOfStatus(result.status, name, report);
  if (error) throw error;
  const info = infoOf(result.info);
  if (!report || !info) throw brokenAnswer('a result without a report');
  const outputs: Record<string, Output> = {};
  const errors: Record<string, BvhmillError> = {};
  for (const [i, output] of result.outputs.entries()) {
    const why = errorOfStatus(output.status, name, report);
    if (why) errors[output.id] = why;
    else outputs[output.id] = outputOf(output, bytes[i]!);
  }
  const measures = measuresOf(result.measures);
  return { info, report, measures, outputs, errors };
}

/** A take: facts, and each array that was asked for under its name. */
export type Take<Name extends ArrayName = ArrayName> =
  Pick<Conversion, 'info' | 'report' | 'measures'> & Record<Name, Tensor>;

/** The take of a conversion to arrays. BvhmillError if one lacks. */
export function takeOf<Name extends ArrayName>(
  { info, report, measures, outputs, errors }: Conversion): Take<Name> {
  const [error] = Object.values(errors);
  if (error) throw error;
  return {
    info, report, measures, ...outputs as Record<Name, Tensor>,
  };
}

/** Whole frames of one array of a clip. */
export interface Block extends Tensor {
  array: ArrayName;
  /** The first frame, counted from 0. */
  firstFrame: number;
  frames: number;
  info: Info;
  /** The report, in the last block of the clip. Only then is the clip good. */
  report: Report | null;
}

/** Cuts chunks of an array into blocks of whole frames. */
export class FrameCutter {
  readonly #output: OutputMessage;
  readonly #frameBytes: number;
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #nextOffset = 0;
  #nextFrame = 0;

  constructor(output: OutputMessage) {
    const [, ...rest] = output.tensor?.shape ?? [];
    this.#output = output;
    this.#frameBytes = 4 * rest.reduce((a, b) => a * b, 1);
  }

  /** Takes the next bytes; the frames that are whole now, if there are any. */
  add(offset: number, data: Uint8Array, info: Info): Block | undefined {
    if (offset !== this.#nextOffset) throw brokenAnswer('a gap in an output');
    this.#nextOffset += data.length;
    this.#rest.push(data);
    this.#restBytes += data.length;
    const frames = Math.floor(this.#restBytes / this.#frameBytes);
    return frames > 0 ? this.#cut(frames, info) : undefined;
  }

  #cut(frames: number, info: Info): Block {
    const memory = new Uint8Array(frames * this.#frameBytes);
    let at = 0;
    for (const part of this.#rest) {
      const fits = part.subarray(0, memory.length - at);
      memory.set(fits, at);
      at += fits.length;
      // A copy: the rest would keep its whole message.
      this.#rest = fits.length < part.length ? [part.slice(fits.length)] : [];
    }
    this.#restBytes -= memory.length;
    this.#nextFrame += frames;
    return this.#block(this.#nextFrame - frames, frames, memory.buffer, info);
  }

  /** True if all bytes have come. */
  get isWhole(): boolean {
    return this.#restBytes === 0 &&
      this.#nextOffset === this.#output.sizeBytes;
  }

  /** The block of a clip without frames. */
  empty(info: Info): Block {
    return this.#block(0, 0, new ArrayBuffer(0), info);
  }

  #block(firstFrame: number, frames: number, memory: ArrayBuffer,
    info: Info): Block {
    const { shape = [], axes = [] } = this.#output.tensor ?? {};
    return {
      array: this.#output.id as ArrayName, firstFrame, frames, info,
      data: floatsOf(memory), shape: [frames, ...shape.slice(1)], axes,
      report: null,
    };
  }
}
