// The messages between the page and the worker of a clip.

import type { Options } from 'bvhmill';

import type { CatalogueEntry, Info, Issue, Result } from './take';

export interface Opening {
  kind: 'open';
  module: WebAssembly.Module;
  file: Blob;
  options: Options;
  // 'anim': the clip is converted to .anim, and that is opened.
  via: '' | 'anim';
  // Only the report and the first pose are wanted; no rows are kept.
  summary: boolean;
  wantsCatalogue: boolean;
}

// Loads the engine before there is a clip.
export interface Loading {
  kind: 'load';
  module: WebAssembly.Module;
}

export type Question = { id: number } & (
  | { kind: 'poses'; first: number; count: number }
  | { kind: 'samples'; frames: number[] }
  | { kind: 'curves'; node: number; what: string; rate: number;
      buckets: number }
  | { kind: 'line'; offset: number }
  | { kind: 'convert'; options: Options });

export type Notice =
  | { kind: 'catalogue'; entries: CatalogueEntry[] }
  | { kind: 'joints'; names: string[] }
  | { kind: 'skeleton'; info: Info; declared: number; poses: Float32Array }
  | { kind: 'progress'; bytes: number; frames: number; issues: Issue[] }
  | { kind: 'done'; result: Result; bytes: number; frames: number }
  | { kind: 'failed'; message: string }
  | { kind: 'answer'; id: number; value?: unknown; error?: string };
