// Durable jobs: many clips that the server converts while no client waits.

import { createHash, randomUUID } from 'node:crypto';

import {
  Bytes, type Conversion, type Ended, conversionOf,
} from './arrays.js';
import {
  type CallOptions, type Connection, type Limits, type Method, limitsOf,
} from './call.js';
import {
  BvhmillError, brokenAnswer, errorOfStatus, printable, wrongOption,
} from './errors.js';
import {
  BlobServiceService,
} from './generated/bvhmill/v1/blob_service.js';
import {
  type Job as JobMessage, type JobItem, JobServiceService,
  JobState as StateNumber,
} from './generated/bvhmill/v1/job_service.js';
import type {
  ClipResult, Output as OutputMessage,
} from './generated/bvhmill/v1/result.js';
import { type Emit, type Options, convertOptionsOf } from './options.js';
import { type Report, reportOf } from './report.js';
import type { Server } from './server.js';
import { Clip, type Source, type SourceOptions } from './source.js';

export type JobState = 'pending' | 'running' | 'cancelling' | 'succeeded' |
  'failed' | 'cancelled' | 'unknown';

/** A job as it was when the server answered. */
export interface Job {
  /** 'jobs/ID'. */
  name: string;
  displayName: string;
  state: JobState;
  /** True if no item gets a result any more. */
  isOver: boolean;
  items: {
    total: number; ok: number; failed: number; running: number;
    setAside: number;
  };
  createTime: Date | null;
  startTime: Date | null;
  endTime: Date | null;
  expireTime: Date | null;
  /** Why the job as a whole has failed or was cancelled. */
  error: BvhmillError | null;
  /** Why items wait. */
  blocked: BvhmillError | null;
  annotations: Record<string, string>;
  caller: string;
}

/** Sources by their keys, or files whose keys are their paths. */
export type JobSources = Readonly<Record<string, Source>> |
  ReadonlyMap<string, Source> | readonly (string | URL)[];

export type JobOptions = Options & SourceOptions & CallOptions & {
  /** The outputs of each clip; none: the clips are only checked. */
  emit?: readonly Emit[];
  /** A name for people. */
  displayName?: string;
  /** A repeat with the same id is the same job; default a random one. */
  requestId?: string;
  annotations?: Readonly<Record<string, string>>;
  /** Gets the bytes that are uploaded, and those of all uploads. */
  onUpload?: (done: number, total: number) => void;
};

/** A job that was made. */
export interface Submission {
  job: Job;
  /** Sources that cannot be read, by key. They are no items of the job. */
  errors: Record<string, Error>;
}

export type WaitOptions = CallOptions & {
  /** Gets the job about twice a second. */
  onProgress?: (job: Job) => void;
};

export type ListOptions = CallOptions & {
  /** Only jobs in these states. */
  states?: readonly JobState[];
  /** Also those of other callers; needs the scope admin. */
  allCallers?: boolean;
};

export type ResultOptions = CallOptions & {
  /** True: does not wait for the end of the job. */
  partial?: boolean;
  failedOnly?: boolean;
};

/** What became of one item. */
export type JobOutcome = {
  key: string;
  report: Report | null;
  /** Parts that are too large for an answer, such as 'info.joints'. */
  leftOut: string[];
} & ({ ok: true; conversion: Conversion; error: null } |
  { ok: false; conversion: null; error: BvhmillError });

/** A job, what submit() has returned, or a name. */
export type JobLike = Job | Submission | string;

// About a minute in all: a server that is started again is found.
const TRIES = 16;
const NAMES_AT_ONCE = 2000;
const MAX_PAGES = 10_000;
const WAIT_SECONDS = 30;
const CHUNK_BYTES = 256 << 10;

interface Item {
  key: string;
  clip: Clip;
  blob: string;
  size: number;
}

/** The jobs of a server. */
export class Jobs {
  constructor(private readonly connection: Connection,
    private readonly server: Server,
    private readonly timeoutMs: number | undefined) {}

  /** Uploads the clips that the server lacks, and makes a job of all. */
  async submit(sources: JobSources,
    options: JobOptions = {}): Promise<Submission> {
    const {
      emit = [], displayName = '', requestId = randomUUID(), annotations = {},
      onUpload = () => {}, signal, timeoutMs, format, encoding, name, ...words
    } = options;
    const limits = limitsOf({ signal, timeoutMs }, this.timeoutMs);
    const message = convertOptionsOf(words, emit);
    const { items, errors } = await this.#itemsOf(
      entriesOf(sources), { format, encoding, name }, limits);
    if (items.length === 0) {
      throw Object.values(errors)[0] ?? wrongOption('sources', 'are empty');
    }
    await this.#upload(items, onUpload, limits);
    const { job } = await this.#unary(JobServiceService.createJob, {
      displayName, options: message, requestId, annotations: { ...annotations },
      items: items.map(itemOf),
    }, limits);
    return { job: jobOf(job), errors };
  }

  /** A job as it is now. */
  async get(job: JobLike, options: CallOptions = {}): Promise<Job> {
    const limits = limitsOf(options, this.timeoutMs);
    const answer = await this.#unary(JobServiceService.getJob,
      { name: nameOf(job) }, limits);
    return jobOf(answer.job);
  }

  /** The jobs of the caller, the newest first. */
  async* list(options: ListOptions = {}): AsyncGenerator<Job, void> {
    const { states = [], allCallers = false, ...rest } = options;
    const limits = limitsOf(rest, this.timeoutMs);
    const request = {
      pageSize: 1000, states: states.map(numberOf), allCallers,
    };
    yield* pages(async (pageToken) => {
      const answer = await this.#unary(JobServiceService.listJobs,
        { ...request, pageToken }, limits);
      return { next: answer.nextPageToken, values: answer.jobs.map(jobOf) };
    });
  }

  /** Waits until a job is over. */
  async wait(job: JobLike, options: WaitOptions = {}): Promise<Job> {
    const { onProgress, ...rest } = options;
    const limits = limitsOf(rest, undefined);
    const seconds = onProgress ? 0.5 : WAIT_SECONDS;
    const timeout = {
      seconds: Math.floor(seconds), nanos: (seconds % 1) * 1e9,
    };
    for (;;) {
      const answer = await this.#unary(JobServiceService.waitJob,
        { name: nameOf(job), timeout }, limits);
      const now = jobOf(answer.job);
      onProgress?.(now);
      if (now.isOver) return now;
    }
  }

  /**
   * The outcome of each item in the order of the job, with its outputs, whose
   * digests are checked. Waits for the end of the job, unless `partial`.
   */
  async* results(job: JobLike,
    options: ResultOptions = {}): AsyncGenerator<JobOutcome, void> {
    const { partial = false, failedOnly = false, ...rest } = options;
    if (!partial) await this.wait(job, rest);
    const limits = limitsOf(rest, this.timeoutMs);
    const request = { name: nameOf(job), pageSize: 1000, failedOnly };
    const results = pages(async (pageToken) => {
      const answer = await this.#unary(JobServiceService.listJobResults,
        { ...request, pageToken }, limits);
      return { next: answer.nextPageToken, values: answer.results };
    });
    for await (const result of results) {
      yield await this.#outcome(result, limits);
    }
  }

  /** Ends a job early. Items that are done keep their results. */
  async cancel(job: JobLike, options: CallOptions = {}): Promise<Job> {
    const answer = await this.#unary(JobServiceService.cancelJob,
      { name: nameOf(job) }, limitsOf(options, this.timeoutMs));
    return jobOf(answer.job);
  }

  /** Forgets a job that is over, and its results. */
  async delete(job: JobLike, options: CallOptions = {}): Promise<void> {
    const limits = limitsOf(options, this.timeoutMs);
    let tries = 0;
    await this.connection.retried(limits, async () => {
      ++tries;
      try {
        await this.connection.unary(JobServiceService.deleteJob,
          { name: nameOf(job) }, limits);
      } catch (error) {
        // The try before has done it, and its answer was lost.
        const isGone = tries > 1 && error instanceof BvhmillError &&
          error.reason === 'JOB_UNKNOWN';
        if (!isGone) throw error;
      }
    }, undefined, TRIES);
  }

  async #unary<Request, Response>(method: Method<Request, Response>,
    request: Request, limits: Limits): Promise<Response> {
    // A server that has never answered is given up soon.
    await this.server.info(limits);
    return this.connection.retried(limits,
      () => this.connection.unary(method, request, limits), undefined, TRIES);
  }

  // --- Uploads.

  // The clips with the names of their blobs. Streams are kept in memory: the
  // name is known at their end.
  async #itemsOf(entries: [string, Source][], options: SourceOptions,
    limits: Limits): Promise<{ items: Item[]; errors: Record<string, Error> }> {
    const items: Item[] = [];
    const errors: Record<string, Error> = {};
    for (const [key, source] of entries) {
      let clip = new Clip(source, { ...options, name: options.name ?? key });
      try {
        if (!clip.isWhole) {
          const bytes = await clip.whole(Infinity, CHUNK_BYTES,
            (promise) => this.connection.within(limits, promise));
          clip = clip.withBytes(bytes as Buffer);
        }
        items.push({ key, clip, ...await this.#digestOf(clip, limits) });
      } catch (error) {
        limits.signal?.throwIfAborted();
        if (error instanceof BvhmillError) throw error;
        errors[key] = error as Error;
      }
    }
    return { items, errors };
  }

  async #digestOf(clip: Clip,
    limits: Limits): Promise<{ blob: string; size: number }> {
    const pieces = clip.pieces(CHUNK_BYTES);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for (;;) {
        const piece = await this.connection.within(limits, pieces.next());
        if (piece === null) break;
        hash.update(piece);
        size += piece.length;
      }
    } finally {
      pieces.destroy();
    }
    return { blob: `blobs/${hash.digest('hex')}`, size };
  }

  async #upload(items: Item[], onUpload: (done: number, total: number) => void,
    limits: Limits): Promise<void> {
    const missing = await this.#missing(items, limits);
    const total = missing.reduce((sum, { size }) => sum + size, 0);
    const chunkBytes = await this.server.chunkBytes(limits);
    let done = 0;
    for (const item of missing) {
      await this.#uploadOne(item, chunkBytes, limits,
        (at) => onUpload(done + at, total));
      done += item.size;
    }
  }

  async #missing(items: Item[], limits: Limits): Promise<Item[]> {
    const byName = new Map(items.map((item) => [item.blob, item]));
    const names = [...byName.keys()];
    const missing: Item[] = [];
    for (let first = 0; first < names.length; first += NAMES_AT_ONCE) {
      const answer = await this.#unary(BlobServiceService.findMissingBlobs,
        { blobs: names.slice(first, first + NAMES_AT_ONCE) }, limits);
      missing.push(...answer.missing.flatMap((name) => byName.get(name) ?? []));
    }
    return missing;
  }

  // An upload that breaks goes on where the server has ended.
  async #uploadOne(item: Item, chunkBytes: number, limits: Limits,
    sent: (at: number) => void): Promise<void> {
    let offset = 0;
    for (let moved = 0; ; ++moved) {
      try {
        await this.connection.retried(limits, () =>
          this.#write(item, offset, chunkBytes, limits, sent),
        undefined, TRIES);
        return;
      } catch (error) {
        const isElsewhere = error instanceof BvhmillError &&
          error.reason === 'OFFSET_WRONG';
        if (!isElsewhere || moved >= TRIES) throw error;
        offset = Number(error.metadata.committed_bytes);
      }
    }
  }

  async #write({ key, clip, blob, size }: Item, offset: number,
    chunkBytes: number, limits: Limits,
    sent: (at: number) => void): Promise<void> {
    const exchange = this.connection.begin(
      BlobServiceService.writeBlob, limits);
    const pieces = clip.pieces(chunkBytes);
    const send = async () => {
      await exchange.write(
        { blob, offset, data: new Uint8Array(), finish: false });
      let at = 0;
      for (;;) {
        const piece = await exchange.unlessOver(pieces.next());
        if (piece === null) break;
        const data = piece.subarray(Math.max(0, offset - at));
        at += piece.length;
        if (data.length === 0) continue;
        await exchange.write({ blob: '', offset: 0, data, finish: false });
        sent(at);
      }
      if (at !== size) {
        throw new Error(`${key}: changed while it was submitted`);
      }
      await exchange.write(
        { blob: '', offset: 0, data: new Uint8Array(), finish: true });
      exchange.end();
    };
    const sending = send().catch(exchange.stop);
    try {
      let finished = false;
      for await (const answer of exchange) finished = answer.finished;
      if (!finished) throw brokenAnswer('a file that is not stored');
    } finally {
      exchange.stop();
      pieces.destroy();
      await sending;
    }
  }

  // --- Downloads.

  async #outcome(result: ClipResult, limits: Limits): Promise<JobOutcome> {
    const { key, leftOut } = result;
    const report = reportOf(result.report);
    const name = result.displayName || key;
    const error = errorOfStatus(result.status, name, report);
    if (error) {
      return { key, report, leftOut, ok: false, conversion: null, error };
    }
    try {
      const bytes: ArrayBuffer[] = [];
      for (const output of result.outputs) {
        bytes.push(await this.#download(output, limits));
      }
      const ended: Ended = { result, bytes };
      return {
        key, report, leftOut, ok: true,
        conversion: conversionOf(ended, name), error: null,
      };
    } catch (why) {
      // Other bytes than were stored are a fault of this item alone.
      const isDamaged = why instanceof BvhmillError && why.code === 'DATA_LOSS';
      if (!isDamaged) throw why;
      return { key, report, leftOut, ok: false, conversion: null, error: why };
    }
  }

  async #download(output: OutputMessage, limits: Limits): Promise<ArrayBuffer> {
    const { blob, sizeBytes } = output;
    if (!blob) return new ArrayBuffer(0);
    const bytes = new Bytes(sizeBytes);
    let offset = 0;
    await this.connection.retried(limits, async () => {
      const exchange = this.connection.begin(
        BlobServiceService.readBlob, limits);
      try {
        await exchange.write({ blob, offset, limit: 0 });
        exchange.end();
        for await (const { data } of exchange) {
          bytes.add(offset, data);
          offset += data.length;
        }
      } finally {
        exchange.stop();
      }
    }, undefined, TRIES);
    const memory = bytes.take();
    const digest = createHash('sha256').update(new Uint8Array(memory));
    if (`blobs/${digest.digest('hex')}` === blob) return memory;
    throw new BvhmillError({
      code: 'DATA_LOSS', reason: 'JOB_DAMAGED',
      message: `${printable(output.id)}: has other bytes than were stored`,
    });
  }
}

function entriesOf(sources: JobSources): [string, Source][] {
  if (sources instanceof Map) return [...sources];
  if (Array.isArray(sources)) {
    return sources.map((source) => [String(source), source]);
  }
  return Object.entries(sources);
}

function itemOf({ key, clip, blob }: Item): JobItem {
  const { encoding, format, displayName } = clip.message;
  return {
    key, source: { blob, encoding, format, displayName }, options: undefined,
  };
}

function nameOf(job: JobLike): string {
  const name = typeof job === 'string' ? job
    : 'job' in job ? job.job.name : job.name;
  return name.startsWith('jobs/') ? name : `jobs/${name}`;
}

const STATES: Record<number, JobState> = {
  [StateNumber.JOB_STATE_PENDING]: 'pending',
  [StateNumber.JOB_STATE_RUNNING]: 'running',
  [StateNumber.JOB_STATE_CANCELLING]: 'cancelling',
  [StateNumber.JOB_STATE_SUCCEEDED]: 'succeeded',
  [StateNumber.JOB_STATE_FAILED]: 'failed',
  [StateNumber.JOB_STATE_CANCELLED]: 'cancelled',
};

function numberOf(state: JobState): StateNumber {
  const number = Object.keys(STATES).find((key) => STATES[+key] === state);
  if (number !== undefined) return Number(number);
  throw wrongOption('states',
    `must be some of ${Object.values(STATES).join(', ')}`);
}

function jobOf(message: JobMessage | undefined): Job {
  if (!message) throw brokenAnswer('no job');
  const { name, items } = message;
  const state = STATES[message.state] ?? 'unknown';
  return {
    name, displayName: message.displayName, state,
    isOver: ['succeeded', 'failed', 'cancelled'].includes(state),
    items: {
      total: 0, ok: 0, failed: 0, running: 0, setAside: 0, ...items,
    },
    createTime: message.createTime ?? null,
    startTime: message.startTime ?? null,
    endTime: message.endTime ?? null,
    expireTime: message.expireTime ?? null,
    error: errorOfStatus(message.error, name, null),
    blocked: errorOfStatus(message.blocked, name, null),
    annotations: message.annotations,
    caller: message.caller,
  };
}

// The values of all pages. A server could give pages for ever.
async function* pages<T>(get: (token: string) => Promise<{
  next: string; values: T[];
}>): AsyncGenerator<T, void> {
  const seen = new Set<string>();
  for (let token = ''; ;) {
    const { next, values } = await get(token);
    yield* values;
    if (next === '') return;
    if (seen.has(next) || seen.size >= MAX_PAGES) {
      throw brokenAnswer('a list that does not end');
    }
    seen.add(token = next);
  }
}
