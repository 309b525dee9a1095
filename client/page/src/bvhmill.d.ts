// The parts of client/node/engine.js that the page uses.

declare const SINGLE_FILE: boolean;

declare module 'bvhmill' {
  import type { CatalogueEntry, Info, Result } from './take';

  export type Options = Record<string, unknown>;
  export class BvhmillError extends Error {
    code: string;
    field: string;
  }
  export interface Clip {
    add(bytes: Uint8Array): boolean;
    finish(): Result;
    readonly frames: number;
    poses(first: number, count: number): Float32Array;
    values(first: number, count: number): Float32Array;
    soFar(): { declared_frames: number; info: Info | null };
    issues(): import('./take').Issue[];
    close(): void;
  }
  export class Engine {
    constructor(module: WebAssembly.Module);
    catalogue(): CatalogueEntry[];
    validate(bytes: Uint8Array, options?: Options): Result;
    convert(bytes: Uint8Array, options?: Options): Result;
    open(options?: Options): Clip;
  }
}
