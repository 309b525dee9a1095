// Reading and converting: the same bytes as the command line.

import assert from 'node:assert';
import {
  createReadStream, mkdirSync, openAsBlob, readFileSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

import { Bvhmill, BvhmillError } from '@bvhmill/client';

import {
  all, bytesOf, convertHere, makeFolder, makeTakes, removeFolder, startServer,
  validateHere, writeLargeTake,
} from './support.js';

const folder = makeFolder();
const takes = join(folder, 'takes');
const walk = join(takes, 'walk_cycle.bvh');
const wave = join(takes, 'hand_wave.bvh');
const broken = join(folder, 'broken.bvh');
const BROKEN = 'HIERARCHY\nROOT Hips\n{\n  OFSET 0\n';
let server;
let mill;

before(async () => {
  mkdirSync(join(folder, 'here'));
  makeTakes(takes);
  writeFileSync(broken, BROKEN);
  server = await startServer();
  mill = new Bvhmill(server.address);
});

after(async () => {
  mill.close();
  await server.stop();
  removeFolder(folder);
});

function here(take, format, ...flags) {
  return convertHere(take, join(folder, 'here'), format, ...flags);
}

test('read gives the arrays of the command line', async () => {
  const arrays = ['positions', 'rotations', 'velocities'];
  const take = await mill.read(walk, { arrays, fps: 30 });
  for (const name of arrays) {
    assert.ok(take[name].data instanceof Float32Array);
    assert.ok(bytesOf(take[name]).equals(here(walk, name, '--fps', '30')));
  }
  assert.deepStrictEqual(take.positions.shape, [60, 26, 3]);
  assert.deepStrictEqual(take.positions.axes, ['frame', 'joint', 'xyz']);
  assert.strictEqual(take.info.frames, 60);
  assert.strictEqual(take.report.verdict, 'VERDICT_VALID');
  assert.strictEqual(take.measures, null);
});

test('memory of an array is its own, and can be transferred', async () => {
  const { positions: { data } } = await mill.read(walk);
  assert.strictEqual(data.byteOffset, 0);
  assert.strictEqual(data.buffer.byteLength, data.byteLength);
  structuredClone(data, { transfer: [data.buffer] });
  assert.strictEqual(data.length, 0);
});

test('convert gives the files of the command line', async () => {
  const emit = ['npz', 'anim', 'csv', 'bvh', 'positions'];
  const { outputs, errors } = await mill.convert(walk, { emit });
  assert.deepStrictEqual(Object.keys(outputs), emit);
  for (const format of emit) {
    assert.ok(bytesOf(outputs[format]).equals(here(walk, format)), format);
  }
  assert.strictEqual(outputs.anim.mediaType, 'application/vnd.ll.animation');
  assert.deepStrictEqual(errors, {});
});

test('an output has options of its own', async () => {
  const { outputs } = await mill.convert(walk, { end_sites: false, emit: [
    'csv', { format: 'csv', id: 'ends', end_sites: true },
  ] });
  assert.ok(bytesOf(outputs.csv).equals(here(walk, 'csv')));
  assert.ok(bytesOf(outputs.ends).equals(here(walk, 'csv', '--end-sites')));
});

test('an output that cannot be made does not stop the others', async () => {
  const { outputs, errors } = await mill.convert(walk,
    { emit: ['positions', 'anim'], anim_upload: true });
  assert.deepStrictEqual(Object.keys(outputs), ['positions']);
  assert.ok(errors.anim instanceof BvhmillError);
  assert.strictEqual(errors.anim.code, 'FAILED_PRECONDITION');
});

// Sources that give the bytes of `file`.
async function sourcesOf(file) {
  const bytes = readFileSync(file);
  async function* pieces() {
    const memory = new Uint8Array(1000); // Used again for each piece.
    for (let at = 0; at < bytes.length; at += memory.length) {
      const piece = bytes.subarray(at, at + memory.length);
      memory.set(piece);
      yield memory.subarray(0, piece.length);
    }
  }
  return {
    path: file,
    url: pathToFileURL(file),
    bytes,
    ArrayBuffer: new Uint8Array(bytes).buffer,
    Blob: await openAsBlob(file),
    'stream of Node': createReadStream(file, { highWaterMark: 777 }),
    'stream of the web': new Blob([bytes]).stream(),
    'async iterable': pieces(),
    'array of pieces': [bytes.subarray(0, 5), bytes.subarray(5)],
  };
}

test('every kind of source is read', async () => {
  const wanted = here(walk, 'positions');
  for (const [kind, source] of Object.entries(await sourcesOf(walk))) {
    const { positions } = await mill.read(source);
    assert.ok(bytesOf(positions).equals(wanted), kind);
  }
  for (const [kind, source] of Object.entries(await sourcesOf(broken))) {
    const { report } = await mill.validate(source);
    assert.strictEqual(report.verdict, 'VERDICT_UNREADABLE', kind);
  }
});

test('formats and encodings follow from names, or are stated', async () => {
  const anim = join(folder, 'walk.anim');
  const packed = join(folder, 'walk.bvh.gz');
  writeFileSync(anim, here(walk, 'anim'));
  writeFileSync(packed, gzipSync(readFileSync(walk)));
  const { report } = await mill.read(anim);
  assert.notStrictEqual(report.verdict, 'VERDICT_UNREADABLE');
  const plain = here(walk, 'positions');
  assert.ok(bytesOf((await mill.read(packed)).positions).equals(plain));
  const { positions } = await mill.read(readFileSync(packed),
    { encoding: 'gzip' });
  assert.ok(bytesOf(positions).equals(plain));
  const take = await mill.read(readFileSync(anim), { format: 'anim' });
  assert.strictEqual(take.info.joint_count > 0, true);
  await assert.rejects(mill.read(walk, { encoding: 'rar' }),
    { field: 'encoding' });
});

test('a source that gives no bytes is refused', async () => {
  await assert.rejects(mill.read(5), TypeError);
  await assert.rejects(mill.read(null), TypeError);
  await assert.rejects(mill.read(['text']), /must give bytes, not string/);
  await assert.rejects(mill.read(join(folder, 'missing.bvh')),
    { code: 'ENOENT' });
  await assert.rejects(mill.validate(join(folder, 'missing.bvh')),
    { code: 'ENOENT' });
});

test('stream gives blocks of whole frames', async () => {
  const large = writeLargeTake(join(folder, 'large.bvh'), 3000);
  const wanted = here(large, 'positions');
  const blocks = await all(mill.stream(large));
  assert.ok(blocks.length > 5);
  let frame = 0;
  for (const block of blocks) {
    assert.strictEqual(block.array, 'positions');
    assert.strictEqual(block.firstFrame, frame);
    assert.strictEqual(block.data.byteOffset, 0);
    assert.strictEqual(block.data.length,
      block.shape.reduce((a, b) => a * b, 1));
    assert.strictEqual(block.info.frames, 3000);
    frame += block.frames;
  }
  assert.strictEqual(frame, 3000);
  assert.ok(Buffer.concat(blocks.map(bytesOf)).equals(wanted));
  assert.deepStrictEqual(blocks.map((block) => block.report !== null),
    blocks.map((_, i) => i === blocks.length - 1));
});

test('blocks of several arrays are each complete', async () => {
  const large = writeLargeTake(join(folder, 'large.bvh'), 2000);
  const arrays = ['positions', 'rotations'];
  const blocks = await all(mill.stream(large, { arrays }));
  for (const name of arrays) {
    const own = blocks.filter(({ array }) => array === name);
    assert.ok(Buffer.concat(own.map(bytesOf)).equals(here(large, name)), name);
  }
});

test('stream throws the error of a broken clip', async () => {
  await assert.rejects(all(mill.stream(broken)), (error) => {
    assert.strictEqual(error.reason, 'HIERARCHY_WORD_UNKNOWN');
    assert.strictEqual(error.report.verdict, 'VERDICT_UNREADABLE');
    return true;
  });
  assert.throws(() => mill.stream(walk, { layout: 'joint_major' }),
    { field: 'layout' });
  assert.throws(() => mill.stream(walk, { arrays: ['npz'] }),
    { field: 'arrays' });
});

test('a stream that waits stops no other call', async () => {
  const large = writeLargeTake(join(folder, 'large.bvh'), 30_000);
  const blocks = mill.stream(large);
  await blocks.next();
  const { positions } = await mill.read(walk);
  assert.ok(bytesOf(positions).equals(here(walk, 'positions')));
  await blocks.return();
});

for (const ordered of [false, true]) {
  test(`readMany goes on after bad clips, ordered: ${ordered}`, async () => {
    const missing = join(folder, 'missing.bvh');
    const sources = [broken, walk, missing, wave, Buffer.from(BROKEN), walk];
    const outcomes = await all(mill.readMany(sources, { ordered }));
    const order = outcomes.map(({ index }) => index);
    if (ordered) assert.deepStrictEqual(order, [0, 1, 2, 3, 4, 5]);
    outcomes.sort((a, b) => a.index - b.index);
    assert.deepStrictEqual(outcomes.map(({ ok }) => ok),
      [false, true, false, true, false, true]);
    assert.strictEqual(outcomes[0].error.reason, 'HIERARCHY_WORD_UNKNOWN');
    assert.match(outcomes[0].error.message, /broken\.bvh:4:3: error: /);
    assert.strictEqual(outcomes[0].report.verdict, 'VERDICT_UNREADABLE');
    assert.strictEqual(outcomes[2].error.code, 'ENOENT');
    for (const [i, take] of [[1, walk], [3, wave], [5, walk]]) {
      assert.strictEqual(outcomes[i].source, take);
      assert.ok(bytesOf(outcomes[i].take.positions)
        .equals(here(take, 'positions')));
    }
  });
}

test('readMany reads no further than it must', async () => {
  let given = 0;
  async function* endless() {
    for (;;) {
      ++given;
      yield walk;
    }
  }
  for await (const { ok, index } of mill.readMany(endless())) {
    assert.ok(ok);
    if (index >= 300) break;
  }
  assert.ok(given < 1000, `${given} sources were taken`);
});

test('readMany throws the error of its sources', async () => {
  async function* failing() {
    yield walk;
    throw new RangeError('no more');
  }
  await assert.rejects(all(mill.readMany(failing())), /no more/);
});

test('validate gives the report of the command line', async () => {
  for (const take of [walk, broken, join(takes, 'crlf_end_site.bvh')]) {
    const { report, info } = await mill.validate(take);
    const wanted = validateHere(take);
    assert.deepStrictEqual({ ...report }, wanted.report);
    if (wanted.info === null) continue;
    const float = (joint) =>
      ({ ...joint, offset: joint.offset.map(Math.fround) });
    assert.deepStrictEqual(info,
      { ...wanted.info, joints: wanted.info.joints.map(float) });
  }
});

test('validate streams a clip that fits no message', async () => {
  const small = await startServer('--max-request-message-bytes', '64KiB',
    '--max-unary-response-bytes', '4000');
  const narrow = new Bvhmill(small.address);
  try {
    for (const source of [walk, createReadStream(walk)]) {
      const { report, info } = await narrow.validate(source);
      assert.strictEqual(report.verdict, 'VERDICT_VALID');
      assert.strictEqual(info.frames, 120);
    }
    const { positions } = await narrow.read(walk);
    assert.ok(bytesOf(positions).equals(here(walk, 'positions')));
    // It fits, but not its answer.
    const { report } = await narrow.validate(
      createReadStream(join(takes, 'static_pose.bvh')));
    assert.strictEqual(report.verdict, 'VERDICT_VALID');
  } finally {
    narrow.close();
    await small.stop();
  }
});

test('measures are made on request', async () => {
  const { measures } = await mill.validate(walk, { measures: true });
  assert.ok(measures.height > 100);
  assert.strictEqual(measures.joints.length, 31);
  const take = await mill.read(walk, { measures: true, arrays: [] });
  assert.deepStrictEqual(take.measures, measures);
});

test('info describes the server', async () => {
  const info = await mill.info();
  assert.match(info.server_version, /^\d+\.\d+\.\d+$/);
  assert.strictEqual(info.limits.max_clip_bytes, 512 << 20);
  assert.ok(info.joint_maps.includes('cmu'));
  assert.deepStrictEqual(info.source_formats.map(({ name }) => name),
    ['bvh', 'anim']);
});
