// Sources of clips: paths, bytes, streams, and iterables of bytes.

import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { fileURLToPath } from 'node:url';

import { wrongOption } from './errors.js';
import {
  ContentEncoding, type Source as SourceMessage, SourceFormat,
} from './generated/bvhmill/v1/clip_service.js';

/**
 * The bytes of a clip: a path, the URL of a file, bytes, a Blob, a stream of
 * the web or of Node, or anything that iterates over bytes. A call that fails
 * is tried again only if its source can be read again: streams cannot.
 */
export type Source = string | URL | Uint8Array | ArrayBuffer | Blob |
  ReadableStream<Uint8Array> | Readable | AsyncIterable<Uint8Array> |
  Iterable<Uint8Array>;

/** What the name of a source does not say. */
export interface SourceOptions {
  /** Default by the name of the file; else 'bvh'. */
  format?: 'bvh' | 'anim';
  /** How the bytes are compressed; default by the name of the file. */
  encoding?: 'identity' | 'gzip' | 'zstd';
  /** A name for messages; default that of the file. */
  name?: string;
}

const FORMATS: Record<string, SourceFormat> = {
  bvh: SourceFormat.SOURCE_FORMAT_BVH, anim: SourceFormat.SOURCE_FORMAT_ANIM,
};
const ENCODINGS: Record<string, ContentEncoding> = {
  identity: ContentEncoding.CONTENT_ENCODING_IDENTITY,
  gzip: ContentEncoding.CONTENT_ENCODING_GZIP,
  zstd: ContentEncoding.CONTENT_ENCODING_ZSTD,
};
const ENDINGS: Record<string, string> = { '.gz': 'gzip', '.zst': 'zstd' };

/** A source, and what is known about it. */
export class Clip {
  readonly name: string;
  readonly format: SourceFormat;
  readonly encoding: ContentEncoding;
  readonly #source: Source;
  #begun = false;
  // The bytes of a stream whose first bytes were read already.
  #open: Pieces | undefined;

  constructor(source: Source, options: SourceOptions = {}) {
    this.#source = source;
    const file = fileNameOf(source);
    const packing = Object.keys(ENDINGS).find((end) =>
      file.toLowerCase().endsWith(end));
    const plain = packing ? file.slice(0, -packing.length) : file;
    this.name = options.name ?? (file || '<bytes>');
    this.format = choice(FORMATS, 'format', options.format ??
      (plain.toLowerCase().endsWith('.anim') ? 'anim' : 'bvh'));
    this.encoding = choice(ENCODINGS, 'encoding', options.encoding ??
      (packing ? ENDINGS[packing]! : 'identity'));
  }

  /** True if the source can be read any number of times. */
  get isWhole(): boolean {
    return isWhole(this.#source);
  }

  /** True if the source gives the same bytes from now on as at first. */
  get canRepeat(): boolean {
    return !this.#begun || this.isWhole;
  }

  /** The message about the source, without its bytes. */
  get message(): SourceMessage {
    return {
      data: new Uint8Array(), encoding: this.encoding,
      displayName: this.name, format: this.format, blob: '',
    };
  }

  /** Begins to read. */
  pieces(size: number): Pieces {
    const open = this.#open;
    this.#open = undefined;
    this.#begun = true;
    return open ?? new Pieces(readerOf(this.#source, size), size);
  }

  /**
   * All bytes, if there are at most `most`; else null, and this clip begins
   * again. `wait` waits for a promise, or throws.
   */
  async whole(most: number, size: number,
    wait: <T>(promise: Promise<T>) => Promise<T>): Promise<Buffer | null> {
    const pieces = this.pieces(size);
    const parts: Uint8Array[] = [];
    try {
      for (let length = 0; length <= most;) {
        const piece = await wait(pieces.next());
        if (piece === null) return Buffer.concat(parts);
        // A copy: an iterator may use its memory again.
        parts.push(new Uint8Array(piece));
        length += piece.length;
      }
    } catch (error) {
      pieces.destroy();
      throw error;
    }
    if (this.isWhole) {
      pieces.destroy();
    } else {
      pieces.unread(Buffer.concat(parts));
      this.#open = pieces;
    }
    return null;
  }

  /** Ends a stream that nobody reads: its call has failed before. */
  abandon(): void {
    const isRead = this.#begun && this.#open === undefined;
    if (!isRead && !this.isWhole) this.pieces(1).destroy();
  }

  /** The same clip with these bytes. */
  withBytes(bytes: Uint8Array): Clip {
    return new Clip(bytes, {
      name: this.name,
      format: keyOf(FORMATS, this.format) as SourceOptions['format'],
      encoding: keyOf(ENCODINGS, this.encoding) as SourceOptions['encoding'],
    });
  }
}

function keyOf<T>(words: Record<string, T>, value: T): string | undefined {
  return Object.keys(words).find((word) => words[word] === value);
}

function choice<T>(words: Record<string, T>, option: string, word: string): T {
  const found = Object.hasOwn(words, word) ? words[word] : undefined;
  if (found !== undefined) return found;
  throw wrongOption(option, `must be one of ${Object.keys(words).join(', ')}`);
}

function fileNameOf(source: Source): string {
  if (typeof source === 'string') return source;
  if (source instanceof URL) return fileURLToPath(source);
  const { name } = source as { name?: unknown };
  return source instanceof Blob && typeof name === 'string' ? name : '';
}

// True for sources that can be read any number of times.
function isWhole(source: Source): boolean {
  return typeof source === 'string' || source instanceof URL ||
    source instanceof Blob || source instanceof ArrayBuffer ||
    ArrayBuffer.isView(source);
}

interface Reader {
  iterator: AsyncIterator<unknown> | Iterator<unknown>;
  /** Ends the reading, also while it waits. */
  destroy(): void;
}

function readerOf(source: Source, size: number): Reader {
  if (typeof source === 'string' || source instanceof URL) {
    return ofNode(createReadStream(source, { highWaterMark: size }));
  }
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) {
    return { iterator: [source][Symbol.iterator](), destroy() {} };
  }
  if (source instanceof Blob) return ofWeb(source.stream());
  if (source instanceof Readable) return ofNode(source);
  if (typeof (source as ReadableStream)?.getReader === 'function') {
    return ofWeb(source as ReadableStream);
  }
  const many = source as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  const begin = (many?.[Symbol.asyncIterator] ?? many?.[Symbol.iterator]) as
    (() => Reader['iterator']) | undefined;
  if (begin === undefined) {
    throw new TypeError('source must be a path, a file URL, bytes, a Blob, a ' +
      `stream or an iterable of bytes, not ${typeof source}`);
  }
  return ofIterator(begin.call(many));
}

function ofNode(stream: Readable): Reader {
  // An error after the reading has ended is of no use to anybody.
  stream.on('error', () => {});
  const iterator = stream[Symbol.asyncIterator]();
  return { iterator, destroy: () => void stream.destroy() };
}

function ofWeb(stream: { getReader(): unknown }): Reader {
  const reader = stream.getReader() as
    ReadableStreamDefaultReader<unknown>;
  return {
    iterator: { next: () => reader.read() as Promise<IteratorResult<unknown>> },
    destroy: () => void reader.cancel().catch(() => {}),
  };
}

function ofIterator(
  iterator: AsyncIterator<unknown> | Iterator<unknown>): Reader {
  return {
    iterator,
    destroy() {
      // One that waits returns later, or never: nobody waits for it.
      void Promise.resolve(iterator.return?.()).catch(() => {});
    },
  };
}

/** The bytes of a source, in pieces of a bounded size. */
export class Pieces {
  readonly #reader: Reader;
  readonly #size: number;
  #rest: Uint8Array = new Uint8Array();

  constructor(reader: Reader, size: number) {
    this.#reader = reader;
    this.#size = size;
  }

  /** The next bytes; null at the end. */
  async next(): Promise<Uint8Array | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#reader.iterator.next();
      if (done) return null;
      this.#rest = bytesOf(value);
    }
    const piece = this.#rest.subarray(0, this.#size);
    this.#rest = this.#rest.subarray(this.#size);
    return piece;
  }

  /** Puts bytes before the next ones. */
  unread(bytes: Uint8Array): void {
    this.#rest = Buffer.concat([bytes, this.#rest]);
  }

  /** Ends the reading: a stream is destroyed. */
  destroy(): void {
    this.#reader.destroy();
  }
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  throw new TypeError(`a source must give bytes, not ${typeof value}`);
}
