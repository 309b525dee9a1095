// An open clip: its worker, its joints, and the poses around the frame that is
// shown.

import type { Options } from 'bvhmill';

import { setCatalogue, hasCatalogue } from './catalogue';
import type { Notice, Question } from './messages';
import { engineModule, startWorker } from './module';
import type { Info, Issue, Result } from './take';

// Poses are fetched in blocks of about this many values, and so many blocks
// are kept.
const BLOCK_VALUES = 1 << 16;
const MOST_BLOCKS = 48;
const MOST_REUSED_BYTES = 16e6;

type Unnumbered<T> = T extends { id: number } ? Omit<T, 'id'> : never;

export interface ClipOptions {
  options: Options;
  via?: '' | 'anim';
  summary?: boolean;
  // A worker that release() gave back.
  worker?: Worker;
}

export class Clip {
  info: Info | null = null;
  // The number of frames that the file states.
  declared = 0;
  // The number of frames that have poses.
  frames = 0;
  bytes = 0;
  issues: Issue[] = [];
  result: Result | null = null;
  error = '';
  firstPose: Float32Array | null = null;
  // For a clip via .anim: the joint of the avatar for each joint of the source.
  sourceNames: string[] = [];

  #worker: Worker;
  #blocks = new Map<number, Float32Array>();
  #wanted = new Set<number>();
  #questions = new Map<number, {
    resolve: (value: never) => void; reject: (error: Error) => void;
  }>();
  #last = 0;

  // `changed` is called after each notice of the worker.
  constructor(readonly file: Blob, {
    options, via = '', summary = false, worker = startWorker(),
  }: ClipOptions, private changed: (notice: string) => void) {
    this.#worker = worker;
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(`The engine has stopped: ${event.message}`);
    };
    engineModule().then(
        (module) => this.#worker.postMessage({
          kind: 'open', module, file, options, via, summary,
          wantsCatalogue: !hasCatalogue(),
        }),
        (error) => this.#fail(error.message));
  }

  close(): void {
    this.#worker.terminate();
    for (const { reject } of this.#questions.values()) {
      reject(new Error('the clip is closed'));
    }
    this.#questions.clear();
  }

  // Ends the clip and returns its worker for the next one; null if it cannot be
  // used again: it has failed, or its memory, which never shrinks, is large.
  release(): Worker | null {
    const isUsable = this.error === '' && this.bytes < MOST_REUSED_BYTES;
    if (!isUsable) this.close();
    return isUsable ? this.#worker : null;
  }

  get isRead(): boolean {
    return this.result !== null || this.error !== '';
  }

  get rate(): number {
    return this.info?.frames_per_second || 30;
  }

  // The number of frames of the timeline: those that are read, or stated.
  get length(): number {
    return this.isRead ? this.frames : Math.max(this.frames, this.declared);
  }

  get duration(): number {
    return Math.max(0, this.length - 1) / this.rate;
  }

  // The frame nearest to a time, among those that are read.
  frameAt(time: number): number {
    const frame = Math.round(time * this.rate);
    return Math.max(0, Math.min(frame, this.frames - 1));
  }

  // The positions of all nodes in a frame, or null if they are on their way.
  pose(frame: number): Float32Array | null {
    if (this.info === null || frame < 0 || frame >= this.frames) return null;
    const width = 3 * this.info.joints.length;
    const size = this.#blockFrames();
    const block = Math.floor(frame / size);
    const within = frame - block * size;
    const poses = this.#blocks.get(block);
    if (within === 0) this.#want(block + 1);
    if (poses !== undefined && poses.length >= (within + 1) * width) {
      return poses.subarray(within * width, (within + 1) * width);
    }
    this.#want(block);
    return frame === 0 ? this.firstPose : null;
  }

  ask<T>(question: Unnumbered<Question>): Promise<T> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#questions.set(id, { resolve, reject });
      this.#worker.postMessage({ ...question, id });
    });
  }

  #blockFrames(): number {
    const width = 3 * (this.info?.joints.length ?? 1);
    return Math.max(4, Math.min(128, Math.floor(BLOCK_VALUES / width)));
  }

  #want(block: number): void {
    const size = this.#blockFrames();
    const first = block * size;
    const width = 3 * (this.info?.joints.length ?? 1);
    const count = Math.min(size, this.frames - first);
    const have = (this.#blocks.get(block)?.length ?? 0) / width;
    if (count <= have || this.#wanted.has(block)) return;
    this.#wanted.add(block);
    this.ask<Float32Array>({ kind: 'poses', first, count }).then((poses) => {
      this.#wanted.delete(block);
      this.#blocks.delete(block);
      this.#blocks.set(block, poses);
      if (this.#blocks.size > MOST_BLOCKS) {
        this.#blocks.delete(this.#blocks.keys().next().value as number);
      }
      this.changed('poses');
    }, () => this.#wanted.delete(block));
  }

  #receive(notice: Notice): void {
    switch (notice.kind) {
      case 'catalogue': setCatalogue(notice.entries); break;
      case 'joints': this.sourceNames = notice.names; break;
      case 'skeleton':
        this.info = notice.info;
        this.declared = notice.declared;
        this.frames = notice.info.frames;
        this.firstPose = notice.poses;
        break;
      case 'progress':
        this.bytes = notice.bytes;
        this.frames = Math.max(this.frames, notice.frames);
        this.issues.push(...notice.issues);
        break;
      case 'done':
        this.result = notice.result;
        this.bytes = notice.bytes;
        this.frames = notice.frames;
        this.issues = notice.result.report.issues;
        if (this.info === null || notice.result.status.code === 'OK') {
          this.info = notice.result.info;
        }
        break;
      case 'failed': this.#fail(notice.message); return;
      case 'answer': this.#answer(notice); return;
    }
    this.changed(notice.kind);
  }

  #answer({ id, value, error }: Notice & { kind: 'answer' }): void {
    const question = this.#questions.get(id);
    this.#questions.delete(id);
    if (error !== undefined) question?.reject(new Error(error));
    else question?.resolve(value as never);
  }

  #fail(message: string): void {
    this.error = message;
    this.changed('failed');
  }
}
