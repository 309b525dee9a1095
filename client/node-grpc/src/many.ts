// Many clips over one call. If the call breaks, clips without a result are sent
// again.

import {
  type ArrayName, Assembler, type Ended, type Take, conversionOf, takeOf,
} from './arrays.js';
import type { Connection, Limits } from './call.js';
import { type ClipExchange, sendClip, sendOpen } from './clips.js';
import { BvhmillError, brokenAnswer, errorOfStatus } from './errors.js';
import { ClipServiceService } from './generated/bvhmill/v1/clip_service.js';
import type { ConvertOptions } from './generated/bvhmill/v1/options.js';
import { type Report, reportOf } from './report.js';
import {
  Clip, type Pieces, type Source, type SourceOptions,
} from './source.js';

/** What became of one source: a take, or an error. */
export type Outcome<Name extends ArrayName = ArrayName> = {
  /** The place among the sources, from 0. */
  index: number;
  source: Source;
  /** The name for messages. */
  name: string;
  /** The report of the clip; null if it was not read. */
  report: Report | null;
} & ({ ok: true; take: Take<Name>; error: null } |
  { ok: false; take: null; error: Error });

export type Sources = Iterable<Source> | AsyncIterable<Source>;

const CLIP_TRIES = 4;

interface Work {
  index: number;
  source: Source;
  clip: Clip;
  // How often it was refused by a busy server.
  refused: number;
}

/** The outcomes of a call of readMany. */
export class Many<Name extends ArrayName> {
  readonly #iterator: Iterator<Source> | AsyncIterator<Source>;
  // The next source, once it was asked for.
  #next: Promise<IteratorResult<Source>> | undefined;
  #count = 0;
  #hasAll = false;
  // Clips to be sent again, and those that were sent.
  #again: Work[] = [];
  readonly #unfinished = new Map<number, Work>();
  // Outcomes that are known and not taken.
  readonly #ready = new Map<number, Outcome<Name>>();
  #taken = 0;
  #pieces: Pieces | undefined;

  constructor(sources: Sources, readonly options: ConvertOptions,
    readonly sourceOptions: SourceOptions, readonly ordered: boolean,
    readonly chunkBytes: number) {
    this.#iterator = Symbol.asyncIterator in sources
      ? sources[Symbol.asyncIterator]() : sources[Symbol.iterator]();
  }

  async* outcomes(connection: Connection,
    limits: Limits): AsyncGenerator<Outcome<Name>, void> {
    try {
      for (let failed = 0; !this.#isDone(); ++failed) {
        try {
          for await (const outcome of this.#overOneCall(connection, limits)) {
            failed = 0;
            yield outcome;
          }
        } catch (error) {
          if (failed >= CLIP_TRIES - 1) throw error;
          await connection.pauseAfter(resumable(error), failed + 1, limits);
          this.#sendAgain(error as Error);
          yield* this.#take();
        }
      }
    } finally {
      void Promise.resolve(this.#iterator.return?.()).catch(() => {});
    }
  }

  #isDone(): boolean {
    return this.#hasAll && this.#again.length === 0 &&
      this.#unfinished.size === 0 && this.#ready.size === 0;
  }

  async* #overOneCall(connection: Connection,
    limits: Limits): AsyncGenerator<Outcome<Name>, void> {
    const exchange = connection.begin(ClipServiceService.convertClips, limits);
    const sending = this.#send(exchange).catch(exchange.stop);
    const assembler = new Assembler();
    let busy: BvhmillError | undefined;
    try {
      for await (const response of exchange) {
        const ended = assembler.feed(response);
        if (ended) busy = this.#end(ended) ?? busy;
        yield* this.#take();
      }
      yield* this.#take();
      if (this.#unfinished.size > 0) throw brokenAnswer('too few results');
    } finally {
      exchange.stop();
      this.#pieces?.destroy();
      await sending;
    }
    // The clips that a busy server has refused.
    if (busy) await connection.pauseAfter(busy, 1, limits);
  }

  async #send(exchange: ClipExchange): Promise<void> {
    await sendOpen(exchange, this.options, this.ordered);
    for (let i = this.#again.length; i > 0; --i) {
      await this.#sendOne(exchange, this.#again.shift()!);
    }
    while (!this.#hasAll) {
      this.#next ??= Promise.resolve(this.#iterator.next());
      const { done, value } = await exchange.unlessOver(this.#next);
      this.#next = undefined;
      if (done) this.#hasAll = true;
      else await this.#sendNew(exchange, value);
    }
    exchange.end();
  }

  async #sendNew(exchange: ClipExchange, source: Source): Promise<void> {
    const clip = new Clip(source, this.sourceOptions);
    const index = this.#count++;
    await this.#sendOne(exchange, { index, source, clip, refused: 0 });
  }

  async #sendOne(exchange: ClipExchange, work: Work): Promise<void> {
    this.#unfinished.set(work.index, work);
    try {
      this.#pieces = work.clip.pieces(this.chunkBytes);
      await sendClip(exchange, String(work.index), work.clip, this.#pieces);
    } catch (error) {
      if (exchange.isOver) throw error;
      this.#fail(work, error as Error, null);
    } finally {
      this.#pieces?.destroy();
    }
  }

  #fail(work: Work, error: Error, report: Report | null): void {
    const { index, source, clip: { name } } = work;
    this.#unfinished.delete(index);
    this.#ready.set(index, {
      index, source, name, report, ok: false, take: null, error,
    });
  }

  // Takes the result of a clip. Its error, if it is to be sent again.
  #end(ended: Ended): BvhmillError | undefined {
    const index = Number(ended.result.key);
    const work = this.#unfinished.get(index);
    if (!work) return undefined;
    const { source, clip } = work;
    const report = reportOf(ended.result.report);
    const error = errorOfStatus(ended.result.status, clip.name, report);
    if (error?.retryAfterMs != null && clip.canRepeat &&
        ++work.refused < CLIP_TRIES) {
      this.#unfinished.delete(index);
      this.#again.push(work);
      return error;
    }
    try {
      const take = takeOf<Name>(conversionOf(ended, clip.name));
      this.#unfinished.delete(index);
      this.#ready.set(index, {
        index, source, name: clip.name, report, ok: true, take, error: null,
      });
    } catch (why) {
      this.#fail(work, why as Error, report);
    }
    return undefined;
  }

  // After a call has broken.
  #sendAgain(error: Error): void {
    for (const work of [...this.#unfinished.values()]) {
      if (!work.clip.canRepeat) {
        this.#fail(work, error, null);
        continue;
      }
      this.#unfinished.delete(work.index);
      this.#again.push(work);
    }
    this.#again.sort((a, b) => a.index - b.index);
  }

  // Outcomes that may be given now.
  *#take(): Generator<Outcome<Name>, void> {
    if (!this.ordered) {
      for (const [index, outcome] of this.#ready) {
        this.#ready.delete(index);
        yield outcome;
      }
      return;
    }
    for (let next; (next = this.#ready.get(this.#taken)); ++this.#taken) {
      this.#ready.delete(this.#taken);
      yield next;
    }
  }
}

// A server ends the call of a caller that is slow to read. What it has not sent
// can be asked for again.
function resumable(error: unknown): unknown {
  if (!(error instanceof BvhmillError) || error.code !== 'CANCELLED' ||
      error.cause === undefined) return error;
  return new BvhmillError({ ...error, code: 'UNAVAILABLE',
    message: error.message });
}
