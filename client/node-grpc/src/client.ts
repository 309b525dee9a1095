// The client of a server.

import {
  ARRAY_NAMES, type ArrayName, type Block, type Conversion, type Take,
  conversionOf, takeOf,
} from './arrays.js';
import {
  type CallOptions, Connection, type Limits, type Tls, limitsOf,
} from './call.js';
import { blocksOf, converted } from './clips.js';
import { BvhmillError, errorOfStatus, wrongOption } from './errors.js';
import { ClipServiceService } from './generated/bvhmill/v1/clip_service.js';
import type { ConvertOptions } from './generated/bvhmill/v1/options.js';
import type { ClipResult } from './generated/bvhmill/v1/result.js';
import { Jobs } from './jobs.js';
import { Many, type Outcome, type Sources } from './many.js';
import { type Emit, type Options, convertOptionsOf } from './options.js';
import {
  type Info, type Measures, type Report, infoOf, measuresOf, reportOf,
} from './report.js';
import { Server, type ServerInfo } from './server.js';
import { Clip, type Source, type SourceOptions } from './source.js';

export interface BvhmillOptions {
  /** The bearer token of this caller. */
  token?: string;
  /** True: the authorities of Node. Default: no TLS. */
  tls?: boolean | Tls;
  /** Milliseconds for each call with its retries. Default: no limit. */
  timeoutMs?: number;
}

export type ValidateOptions = Options & SourceOptions & CallOptions & {
  /** Outputs to try: the report has the issues of each. */
  emit?: readonly Emit[];
};
export type ConvertCallOptions = Options & SourceOptions & CallOptions & {
  /** The outputs: names of formats, or outputs with options of their own. */
  emit: readonly Emit[];
};
export type TakeOptions<Name extends ArrayName> =
  Options & SourceOptions & CallOptions & {
    /** The arrays of the take; default positions. */
    arrays?: readonly Name[];
  };
export type ManyOptions<Name extends ArrayName> = TakeOptions<Name> & {
  /** True: outcomes come in the order of the sources. */
  ordered?: boolean;
};

/** What is wrong with a clip. */
export interface Validation {
  /** Null if the clip was not read: see `error`. */
  report: Report | null;
  info: Info | null;
  measures: Measures | null;
  /** Why the clip gives no outputs; null if it does. */
  error: BvhmillError | null;
}

// More than the fields around the bytes of a clip take.
const MESSAGE_FIELDS_BYTES = 4096;

/** A client of a bvhmill server. */
export class Bvhmill {
  /** Durable jobs. */
  readonly jobs: Jobs;
  readonly #connection: Connection;
  readonly #server: Server;
  readonly #timeoutMs: number | undefined;

  /** `target` is HOST:PORT. The connection is made by the first call. */
  constructor(target: string, options: BvhmillOptions = {}) {
    const { token, tls, timeoutMs } = options;
    this.#timeoutMs = timeoutMs;
    this.#connection = new Connection(target, { token, tls });
    this.#server = new Server(this.#connection);
    this.jobs = new Jobs(this.#connection, this.#server, timeoutMs);
  }

  /** Version, limits and formats of the server. */
  async info(options: CallOptions = {}): Promise<ServerInfo> {
    return this.#server.info(limitsOf(options, this.#timeoutMs));
  }

  /** Reads a clip as arrays. BvhmillError if the clip gives no take. */
  async read<Name extends ArrayName = 'positions'>(source: Source,
    options: TakeOptions<Name> = {}): Promise<Take<Name>> {
    const { arrays = ['positions'] as Name[], ...rest } = options;
    return takeOf(await this.#convert(source, rest, arraysOf(arrays)));
  }

  /**
   * Reads a clip of any size as blocks of whole frames, which come as they are
   * made. If one array is asked for, they follow each other; the blocks of
   * several may alternate. The clip is good if the loop ends without an error.
   */
  stream<Name extends ArrayName = 'positions'>(source: Source,
    options: TakeOptions<Name> = {}): AsyncGenerator<Block, void> {
    const { arrays = ['positions'] as Name[], ...rest } = options;
    const { message, clip, limits } = this.#prepare(
      source, rest, arraysOf(arrays));
    if (arrays.length === 0) throw wrongOption('arrays', 'names no array');
    if (options.layout === 'joint_major') {
      throw wrongOption('layout', 'must be frame_major: blocks are frames');
    }
    return this.#blocks(clip, message, limits);
  }

  async* #blocks(clip: Clip, message: ConvertOptions,
    limits: Limits): AsyncGenerator<Block, void> {
    try {
      yield* this.#tried(clip, message, limits);
    } finally {
      clip.abandon();
    }
  }

  async* #tried(clip: Clip, message: ConvertOptions,
    limits: Limits): AsyncGenerator<Block, void> {
    const chunkBytes = await this.#server.chunkBytes(limits);
    for (let failed = 0; ; ++failed) {
      let hasBegun = false;
      try {
        for await (const block of blocksOf(
          this.#connection, clip, message, chunkBytes, limits)) {
          hasBegun = true;
          yield block;
        }
        return;
      } catch (error) {
        if (hasBegun || failed >= 3 || !clip.canRepeat) throw error;
        await this.#connection.pauseAfter(error, failed + 1, limits);
      }
    }
  }

  /** Reads many clips over one call. A clip that is broken is an outcome. */
  readMany<Name extends ArrayName = 'positions'>(sources: Sources,
    options: ManyOptions<Name> = {}): AsyncGenerator<Outcome<Name>, void> {
    const { arrays = ['positions'] as Name[], ordered = false, ...rest } =
      options;
    const { signal, timeoutMs, format, encoding, name, ...words } = rest;
    const limits = limitsOf({ signal, timeoutMs }, this.#timeoutMs);
    const message = convertOptionsOf(words, arraysOf(arrays));
    // A misspelt word is an error of the call, not of each clip.
    const ofSources = { format, encoding, name };
    void new Clip(new Uint8Array(), ofSources);
    return this.#outcomes<Name>(sources, message, ofSources, ordered, limits);
  }

  async* #outcomes<Name extends ArrayName>(sources: Sources,
    message: ConvertOptions, ofSources: SourceOptions, ordered: boolean,
    limits: Limits): AsyncGenerator<Outcome<Name>, void> {
    const chunkBytes = await this.#server.chunkBytes(limits);
    yield* new Many<Name>(sources, message, ofSources, ordered, chunkBytes)
      .outcomes(this.#connection, limits);
  }

  /** Converts a clip to files and arrays. BvhmillError if it gives none. */
  async convert(source: Source,
    options: ConvertCallOptions): Promise<Conversion> {
    const { emit, ...rest } = options;
    if (!Array.isArray(emit) || emit.length === 0) {
      throw wrongOption('emit', 'must be one format at least');
    }
    return this.#convert(source, rest, emit);
  }

  /** Checks a clip. A broken clip is no exception: see the report. */
  async validate(source: Source,
    options: ValidateOptions = {}): Promise<Validation> {
    const { emit = [], ...rest } = options;
    const { message, clip, limits } = this.#prepare(source, rest, emit);
    try {
      return await this.#validated(clip, message, limits);
    } catch (error) {
      clip.abandon();
      if (!isOfClip(error)) throw error;
      return { report: null, info: null, measures: null, error };
    }
  }

  // A call of one message needs a smaller right than a stream.
  async #validated(clip: Clip, message: ConvertOptions,
    limits: Limits): Promise<Validation> {
    const most = (await this.#server.info(limits)).limits
      .max_request_message_bytes || Infinity;
    const data = await clip.whole(most - MESSAGE_FIELDS_BYTES,
      await this.#server.chunkBytes(limits),
      (promise) => this.#connection.within(limits, promise));
    try {
      const result = data ? await this.#checked(clip, data, message, limits)
        : (await this.#ended(clip, checkOnly(message), limits)).result;
      return validationOf(result, clip.name);
    } catch (error) {
      const isLarge = error instanceof BvhmillError &&
        error.reason === 'RESPONSE_TOO_LARGE';
      if (!isLarge || !data) throw error;
    }
    const { result } = await this.#ended(
      clip.withBytes(data), checkOnly(message), limits);
    return validationOf(result, clip.name);
  }

  async #checked(clip: Clip, data: Buffer, options: ConvertOptions,
    limits: Limits): Promise<ClipResult | undefined> {
    const request = { source: { ...clip.message, data }, options };
    const answer = await this.#connection.retried(limits, () =>
      this.#connection.unary(ClipServiceService.validateClip, request, limits));
    return answer.result;
  }

  async #convert(source: Source, options: Options & SourceOptions & CallOptions,
    emit: readonly Emit[]): Promise<Conversion> {
    const { message, clip, limits } = this.#prepare(source, options, emit);
    try {
      return conversionOf(await this.#ended(clip, message, limits), clip.name);
    } catch (error) {
      clip.abandon();
      throw error;
    }
  }

  async #ended(clip: Clip, message: ConvertOptions, limits: Limits) {
    const chunkBytes = await this.#server.chunkBytes(limits);
    return this.#connection.retried(limits, async () => {
      const ended = await converted(
        this.#connection, clip, message, chunkBytes, limits);
      const { status, report } = ended.result;
      const error = errorOfStatus(status, clip.name, reportOf(report));
      if (error?.retryAfterMs != null) throw error;
      return ended;
    }, () => clip.canRepeat);
  }

  #prepare(source: Source, options: Options & SourceOptions & CallOptions,
    emit: readonly Emit[]) {
    const { signal, timeoutMs, format, encoding, name, ...words } = options;
    const limits = limitsOf({ signal, timeoutMs }, this.#timeoutMs);
    return {
      limits, message: convertOptionsOf(words, emit),
      clip: new Clip(source, { format, encoding, name }),
    };
  }

  /** Ends all calls and the connection. */
  close(): void {
    this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

function arraysOf(names: readonly ArrayName[]): readonly Emit[] {
  const wrong = names.find((name) => !ARRAY_NAMES.includes(name));
  if (wrong === undefined) return [...new Set(names)];
  throw wrongOption('arrays',
    `'${wrong}' is no array; there are ${ARRAY_NAMES.join(', ')}`);
}

// A stream sends the outputs that it tries: none are asked for.
function checkOnly(message: ConvertOptions): ConvertOptions {
  return { ...message, outputs: [] };
}

function validationOf(result: ClipResult | undefined,
  name: string): Validation {
  const report = reportOf(result?.report);
  return {
    report, info: report && infoOf(result?.info),
    measures: measuresOf(result?.measures),
    error: errorOfStatus(result?.status, name, report),
  };
}

// True if a call has failed by the fault of a clip, not of the caller.
function isOfClip(error: unknown): error is BvhmillError {
  if (!(error instanceof BvhmillError)) return false;
  const { reason, metadata: { limit_name: limit = '' } } = error;
  return reason === 'ENCODING_BROKEN' || reason === 'EDIT_DOES_NOT_FIT' ||
    (reason === 'LIMIT_EXCEEDED' && limit.startsWith('max_clip_'));
}
