// Types of the public API: compiled, not run.

import {
  Bvhmill, BvhmillError, type Block, type Options, type Take,
} from '@bvhmill/client';

const mill = new Bvhmill('127.0.0.1:7450', {
  token: 'secret', tls: { ca: 'pem' }, timeoutMs: 1000,
});

const take = await mill.read('a.bvh');
const data: Float32Array<ArrayBuffer> = take.positions.data;
const shape: number[] = take.positions.shape;
// @ts-expect-error: it was not asked for.
void take.rotations;

const both: Take<'positions' | 'rotations'> = await mill.read('a.bvh', {
  arrays: ['positions', 'rotations'], fps: 30, units: 'cm', up: 'y',
  frames: [0, null, 2], rename: { Hips: 'pelvis' }, anim_loop: undefined,
  signal: AbortSignal.timeout(1000),
});

// @ts-expect-error: no such array.
void mill.read('a.bvh', { arrays: ['npz'] });
// @ts-expect-error: no such option.
void mill.read('a.bvh', { fsp: 30 });
// @ts-expect-error: a number.
void mill.read('a.bvh', { fps: '30' });
// @ts-expect-error: no such axis.
void mill.read('a.bvh', { up: 'Y' });
// @ts-expect-error: no source.
void mill.read(5);
// @ts-expect-error: outputs are needed.
void mill.convert('a.bvh');
// @ts-expect-error: no such format.
void mill.convert('a.bvh', { emit: ['fbx'] });
// @ts-expect-error: not an option of one output.
void mill.convert('a.bvh', { emit: [{ format: 'csv', fps: 30 }] });

for (const source of [
  new URL('file:///a'), new Uint8Array(), new Blob([]), new Blob([]).stream(),
  Buffer.from(''),
]) void mill.validate(source);

const { outputs } = await mill.convert('a.bvh', {
  emit: ['npz', { format: 'csv', id: 'ends', end_sites: true }],
});
const output = outputs.npz!;
if ('mediaType' in output) {
  const bytes: Uint8Array = output.data;
  void bytes;
} else {
  void output.shape;
}

for await (const block of mill.stream('a.bvh')) {
  const first: Block = block;
  void first.firstFrame;
}
for await (const outcome of mill.readMany(['a.bvh'], { ordered: true })) {
  if (outcome.ok) void outcome.take.positions.data;
  else void outcome.error.message;
  // @ts-expect-error: null if it is not ok.
  void outcome.take.positions;
}

const { job } = await mill.jobs.submit({ a: new Uint8Array() },
  { emit: ['npz'], fps: 30 });
const state: 'succeeded' | string = (await mill.jobs.wait(job)).state;
for await (const result of mill.jobs.results(job)) {
  if (result.ok) void result.conversion.outputs;
}

const options: Options = { severities: { DATA_SPIKE: 'error' } };
const error: unknown = null;
if (error instanceof BvhmillError) {
  // @ts-expect-error: no such code.
  void (error.code === 'NOPE');
  void (error.code === 'UNAVAILABLE');
}
void [data, shape, both, state, options];
await using later = mill;
void later;
