// Types of bvhmill.js, bvhmill.cjs, inlined.js and inlined.cjs. Results are
// those of docs/schema/report.schema.json.

/// <reference lib="esnext.disposable" />

import type { Options as ClipOptions } from './options.cjs';

export type { Format, OutputOptions } from './options.cjs';

/** `from`: the format of the clip; 'bvh' if it is not stated. */
export type Options = ClipOptions & { from?: 'bvh' | 'anim' };

/** An ArrayBuffer or a view of one. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/** The module: compiled, its bytes, a Response or its URL. */
export type ModuleSource =
    WebAssembly.Module | Bytes | Response | URL | string;

/**
 * An engine in this thread. The default is the file bvhmill.wasm; that of
 * `bvhmill/inlined` is a part of its code.
 */
export function load(from?: ModuleSource): Promise<Engine>;

/** An engine in a worker, which starts at the first call. */
export function worker(options?: { module?: ModuleSource }): AsyncEngine;

export interface Engine {
  about(): About;

  /** All issues that there are. */
  catalogue(): CatalogueEntry[];

  /** The result of a clip without its outputs, which are only checked. */
  validate(bytes: Bytes, options?: Options): Validation;

  /** The result of a clip with the outputs that options.emit names. */
  convert(bytes: Bytes, options?: Options): Conversion;

  /** Begins a clip whose bytes arrive in pieces. */
  open(options?: Options): Clip;
}

/** One clip. close() frees its memory in the module. */
export interface Clip {
  /** Reads the next bytes. False if no more are needed. */
  add(bytes: Bytes): boolean;

  /** Ends the clip. */
  finish(): Conversion;

  /**
   * The frames that poses() has: those that are read; after finish() those of
   * the edited clip, or 0 if it has outputs.
   */
  readonly frames: number;

  /** The part of the clip that `frames` counts; no info before the first row. */
  soFar(): { declared_frames: number; info: ClipInfo | null };

  /** The values of channels: (frames, channels). */
  values(first: number, count: number): Float32Array<ArrayBuffer>;

  /**
   * Positions of up to `count` frames: (frames, nodes, xyz). The nodes are
   * info.joints, which has the end sites, too.
   */
  poses(first: number, count: number): Float32Array<ArrayBuffer>;

  /** The issues that no earlier call returned; none after finish(). */
  issues(): Issue[];

  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Bytes of a clip for an AsyncEngine; .gz is unpacked. A stream of Node is an
 * async iterable.
 */
export type Source =
    Bytes | Blob | ReadableStream<Bytes> | AsyncIterable<Bytes>;

/** `signal` aborts the call, or all calls of the clip. */
export type AsyncOptions = Options & { signal?: AbortSignal };

/** The methods of Engine in a worker. */
export interface AsyncEngine {
  about(): Promise<About>;
  catalogue(): Promise<CatalogueEntry[]>;
  validate(source: Source, options?: AsyncOptions): Promise<Validation>;
  convert(source: Source, options?: AsyncOptions): Promise<Conversion>;
  open(options?: AsyncOptions): Promise<AsyncClip>;

  /** Ends the worker. Calls that wait are rejected, and all later ones. */
  terminate(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The methods of Clip in a worker. */
export interface AsyncClip {
  add(source: Source): Promise<boolean>;
  finish(): Promise<Conversion>;

  /** As Clip.frames, after the last call that has ended. */
  readonly frames: number;

  poses(first: number, count: number): Promise<Float32Array<ArrayBuffer>>;
  issues(): Promise<Issue[]>;
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Bad options, or an engine that has stopped. Bad arguments are a TypeError, and
 * a broken clip is no error but a result.
 */
export class BvhmillError extends Error {
  constructor(error: {
    code: StatusCode;
    message: string;
    reason?: string;
    field?: string;
    args?: Record<string, string>;
  });

  readonly code: StatusCode;
  /** A name for programs, or ''. */
  readonly reason: string;
  /** The option that is bad, or ''. */
  readonly field: string;
  /** The variable parts of the message, by name. */
  readonly args: Record<string, string>;
}

/** The codes of gRPC. */
export type StatusCode =
    | 'OK' | 'CANCELLED' | 'UNKNOWN' | 'INVALID_ARGUMENT' | 'DEADLINE_EXCEEDED'
    | 'NOT_FOUND' | 'ALREADY_EXISTS' | 'PERMISSION_DENIED'
    | 'RESOURCE_EXHAUSTED' | 'FAILED_PRECONDITION' | 'ABORTED' | 'OUT_OF_RANGE'
    | 'UNIMPLEMENTED' | 'INTERNAL' | 'UNAVAILABLE' | 'DATA_LOSS'
    | 'UNAUTHENTICATED';

export interface Status {
  code: StatusCode;
  reason: string;
  field: string;
  message: string;
  args: Record<string, string>;
}

export interface About {
  version: string;
  /** The vectors that read rows of text, and that solve poses. */
  rows: string;
  poses: string;
}

export interface Validation {
  /** OK if the clip can be converted. */
  status: Status;
  report: Report;
  info: ClipInfo;
  /** Null unless options.measures is true, and if the report refuses the clip. */
  measures: Measures | null;
}

export interface Conversion extends Validation {
  /** By id, which is the name of the format unless options.emit states one. */
  outputs: Record<string, Output>;
}

export type Output = ArrayOutput | FileOutput;

/** Positions, rotations, velocities or values. */
export interface ArrayOutput extends OutputInfo {
  shape: number[];
  /** Such as ['frame', 'joint', 'xyz']. */
  axes: string[];
  data: Float32Array<ArrayBuffer> | null;
}

/** The bytes of a file. */
export interface FileOutput extends OutputInfo {
  shape: null;
  axes: null;
  data: Uint8Array<ArrayBuffer> | null;
}

export interface OutputInfo {
  id: string;
  media_type: string;
  /** -1 if it is not known before the output is made. */
  size_bytes: number;
  /** `data` is null unless it is OK. */
  status: Status;
}

export type Verdict =
    | 'VERDICT_VALID' | 'VERDICT_ACCEPTED' | 'VERDICT_INVALID'
    | 'VERDICT_UNREADABLE';

export interface Report {
  /**
   * VALID: nothing is wrong. ACCEPTED: the clip was read, with warnings.
   * INVALID: the clip has errors. UNREADABLE: the file is no BVH.
   */
  verdict: Verdict;
  /** Occurrences of all issues, also of those that are not listed. */
  counts: { errors: number; warnings: number; infos: number; hints: number };
  issues: Issue[];
  /** True if there are more issues than are listed. */
  truncated: boolean;
  rules_version: string;
  /** The thresholds that differ from the defaults. */
  thresholds: { code: string; name: string; value: number }[];
}

export type Severity =
    | 'SEVERITY_ERROR' | 'SEVERITY_WARNING' | 'SEVERITY_INFO' | 'SEVERITY_HINT';

/** One kind of fault of a file. */
export interface Issue {
  code: string;
  severity: Severity;
  /** One line of English. */
  message: string;
  location: Location;
  /** The location is that of the first occurrence. */
  occurrences: number;
  /** The variable parts of the message, by name. */
  args: Record<string, string>;
}

/** A part that is unknown is null. */
export interface Location {
  byte_offset: number | null;
  /** From 1, as the column, which counts bytes. All others are from 0. */
  line: number | null;
  column: number | null;
  frame: number | null;
  joint: number | null;
  channel: number | null;
  joint_name: string | null;
  /** The last of several frames; `frame` is the first of them. */
  last_frame: number | null;
}

export interface ClipInfo {
  frames: number;
  frames_per_second: number | null;
  /** Joints and end sites in the order of the file, parents first. */
  joints: Joint[];
  frame_time_seconds: number | null;
  /** Without end sites. */
  joint_count: number;
}

/** A number that is not finite is null. */
export type Vector = [number | null, number | null, number | null];

export interface Joint {
  name: string;
  /** Index in `joints`; -1 for a root. */
  parent: number;
  /** One letter per channel: XYZ positions, xyz rotations, ijk scales. */
  channels: string;
  end_site: boolean;
  /** OFFSET from the parent. */
  offset: Vector;
}

/** Facts about the motion before edits, in the unit of the file. */
export interface Measures {
  duration_seconds: number;
  /** Joints on the longest way from a root down. */
  depth: number;
  channel_count: number;
  /** Box around all joints and end sites in all frames. */
  extents: { min: Vector; max: Vector } | null;
  rest_pose:
    | 'REST_POSE_UNSPECIFIED' | 'REST_POSE_T' | 'REST_POSE_A'
    | 'REST_POSE_ARMS_DOWN' | 'REST_POSE_ALIGNED' | 'REST_POSE_OTHER';
  rest_size: Vector;
  height: number | null;
  /** Longest way along bones from a root to a leaf. */
  reach: number | null;
  /** The way and the mean speed of the body root. */
  root_path: number | null;
  root_speed: number | null;
  /** The longest step of a joint from a frame to the next. */
  fastest: { speed: number | null; joint: number; frame: number } | null;
  /** Between the first and the last frame. */
  loop_degrees: number | null;
  loop_distance: number | null;
  /** One for each joint and end site. */
  joints: JointMeasures[];
  /** Index of the joint that carries the body of the first root. */
  body_root: number | null;
}

export interface JointMeasures {
  /** Of each channel. */
  min: (number | null)[];
  max: (number | null)[];
  /** Largest angle to the rotation in the first frame. */
  degrees: number | null;
}

/** What an issue means and what to do about it. */
export interface CatalogueEntry {
  code: string;
  severity: 'error' | 'warning' | 'info' | 'hint';
  severity_strict: 'error' | 'warning' | 'info' | 'hint';
  title: string;
  /** Names in braces are the variable parts. */
  message: string;
  help: string;
}
