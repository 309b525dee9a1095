// Programs that must compile, and lines that must not. package.test.js compiles
// this file with the packed types.

import { BvhmillError, load, worker } from 'bvhmill';
import type {
  AsyncClip, CatalogueEntry, Clip, Conversion, Engine, Issue, Measures, Options,
  Validation,
} from 'bvhmill';
import * as inlined from 'bvhmill/inlined';

declare const bytes: Uint8Array;
declare const file: File;

const engine: Engine = await load();
await load(new URL('https://example.com/bvhmill.wasm'));
await load(bytes);
await load(fetch('x').then.length > 0 ? await fetch('x') : new ArrayBuffer(1));
await load(await WebAssembly.compile(new Uint8Array()));
// @ts-expect-error there is no module
await load(null);

const options: Options = {
  emit: ['positions', { format: 'rotations', id: 'world',
                        rotation_space: 'world', rotation_kind: '6d' }],
  fps: 30, rename: { Hips: 'pelvis' }, frames: [0, null, 2], anim_loop: [0, 2],
  units: 'cm', joint_map: { a: 'b' }, from: 'anim',
};
// @ts-expect-error there is no such option
engine.validate(bytes, { fsp: 30 });
// @ts-expect-error it is a number
engine.validate(bytes, { fps: '30' });
// @ts-expect-error there is no such format
engine.convert(bytes, { emit: ['fbx'] });
// @ts-expect-error an output has a format
engine.convert(bytes, { emit: [{ id: 'a' }] });
// @ts-expect-error an engine in this thread takes no Blob
engine.validate(file);
// @ts-expect-error text is no bytes
engine.validate('HIERARCHY');

const validation: Validation = engine.validate(bytes, options);
// @ts-expect-error they can be null
const measures: Measures = validation.measures;
// @ts-expect-error validate() has no outputs
validation.outputs;
if (validation.report.verdict === 'VERDICT_VALID') {
  const line: number | null | undefined =
      validation.report.issues[0]?.location.line;
}
// @ts-expect-error there is no such verdict
validation.report.verdict === 'VALID';

const conversion: Conversion = engine.convert(bytes, options);
const output = conversion.outputs.positions!;
if (output.shape !== null && output.data !== null) {
  const array: Float32Array = output.data;
  const frames: number | undefined = output.shape[0];
}
// @ts-expect-error it can be null
output.data.length;

const clip: Clip = engine.open();
const wants: boolean = clip.add(bytes.buffer);
const poses: Float32Array = clip.poses(0, clip.frames);
const issues: Issue[] = clip.issues();
// @ts-expect-error it is read only
clip.frames = 3;
clip.close();

const entries: CatalogueEntry[] = engine.catalogue();
{
  using own = engine.open();
  await using threads = worker({ module: bytes });
}

const threads = inlined.worker();
const signal = AbortSignal.timeout(1000);
for (const source of [bytes, file, file.stream(), new ArrayBuffer(1)]) {
  const { outputs } = await threads.convert(source, { ...options, signal });
}
async function* pieces() { yield bytes; }
const report = (await threads.validate(pieces())).report;
const open: AsyncClip = await threads.open({ signal });
await open.add(file);
// @ts-expect-error an engine in this thread has no signal
engine.validate(bytes, { signal });
// @ts-expect-error it is a promise
threads.validate(bytes).report;
await threads.terminate();

try {
  engine.open(options);
} catch (error) {
  if (error instanceof BvhmillError && error.code === 'INVALID_ARGUMENT') {
    const field: string = error.field;
  }
  // @ts-expect-error there is no such code
  if (error instanceof BvhmillError && error.code === 'EINVAL') throw error;
}
