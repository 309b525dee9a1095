// Compares the engine with the command line; clips.js states how.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { before, describe, test } from 'node:test';

import { BvhmillError, load } from '../bvhmill.js';
import {
  bvhmill, converted, EMIT, makeClips, optionsFor, sse4, temporaryFolder,
  validated, wasm,
} from './clips.js';

const folder = temporaryFolder();
const files = makeClips(folder);

let engine;
before(async () => {
  engine = await load(readFileSync(wasm));
});

function assertSameBytes(actual, expected, what) {
  const bytes = (a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength);
  assert.ok(bytes(actual).equals(bytes(expected)), `${what} differ`);
}

// Vectors of other sizes round differently: by 1e-6 of the largest coordinate
// of a frame at most.
function assertNear(actual, expected, width) {
  assert.equal(actual.length, expected.length);
  let worst = 0;
  for (let begin = 0; begin < actual.length; begin += width) {
    let largest = 0;
    let error = 0;
    for (let i = begin; i < begin + width; ++i) {
      if (Object.is(actual[i], expected[i])) continue;
      largest = Math.max(largest, Math.abs(expected[i]));
      error = Math.max(error, Math.abs(actual[i] - expected[i]));
    }
    for (let i = begin; i < begin + width && error > 0; ++i) {
      largest = Math.max(largest, Math.abs(expected[i]));
    }
    if (error > 0) worst = Math.max(worst, error / largest);
  }
  assert.ok(worst <= 1e-6, `positions differ by ${worst}`);
}

// The functions of the C library differ in their last bits, and positions where
// vectors do.
const MOST_ERROR = sse4 ? 1e-7 : 1e-3;

function assertNearMeasures(actual, expected, at = 'measures') {
  if (typeof expected === 'number' && !at.endsWith('.frame')) {
    const scale = Math.max(1e-3, Math.abs(expected));
    const error = Math.abs(actual - expected) / scale;
    assert.ok(error < MOST_ERROR, `${at}: ${actual}, not ${expected}`);
  } else if (typeof expected === 'object' && expected !== null) {
    assert.deepEqual(Object.keys(actual), Object.keys(expected), at);
    for (const key of Object.keys(expected)) {
      assertNearMeasures(actual[key], expected[key], `${at}.${key}`);
    }
  } else if (typeof expected !== 'number') {
    assert.equal(actual, expected, at);
  }
}

describe('the same as the command line', () => {
  test('reports, facts and measures', () => {
    const expected = validated(folder, files);
    for (const file of files) {
      const { report, info, measures } = engine.validate(
          readFileSync(file), { ...optionsFor(file), measures: true });
      const line = expected.get(basename(file));
      assert.equal(line.error, null, file);
      assert.deepEqual(report, line.report, file);
      assert.deepEqual(info, line.info, file);
      assertNearMeasures(measures, line.measures, basename(file));
    }
  });

  test(`outputs${sse4 ? '' : ', but for the rounding of positions'}`, () => {
    const expected = converted(folder, files);
    let made = 0;
    for (const file of files) {
      const { outputs } = engine.convert(readFileSync(file), {
        ...optionsFor(file), emit: EMIT, anim_accept_odd: true,
      });
      const wanted = expected(file);
      for (const format of EMIT) {
        const data = outputs[format]?.data ?? undefined;
        const what = `${basename(file)}: ${format}`;
        assert.equal(data?.length, wanted[format]?.length, what);
        if (!data) continue;
        ++made;
        if (format === 'positions' && !sse4) {
          assertNear(data, wanted[format], outputs[format].shape[1] * 3);
        } else {
          assertSameBytes(data, wanted[format], what);
        }
      }
    }
    assert.ok(made > 100, `only ${made} outputs`);
  });
});

test('the catalogue is that of the command line', () => {
  const lines = execFileSync(bvhmill, ['explain', '--json'],
                             { encoding: 'utf8' });
  const expected = lines.trim().split('\n').map((line) => JSON.parse(line))
      .map(({ code, lenient, strict, title, message, help }) => ({
        code, severity: lenient, severity_strict: strict, title, message, help,
      }));
  assert.deepEqual(engine.catalogue(), expected);
});

describe('a clip in pieces', () => {
  const file = files.find((name) => name.includes('walk')) ?? files[0];

  test('has the same result', () => {
    const bytes = readFileSync(file);
    const options = { emit: ['positions', 'bvh'] };
    const whole = engine.convert(bytes, options);
    const clip = engine.open(options);
    for (let i = 0; i < bytes.length; i += 1000) {
      clip.add(bytes.subarray(i, i + 1000));
    }
    assert.deepEqual(clip.finish(), whole);
    clip.close();
  });

  test('has poses while it is read and after', () => {
    const bytes = readFileSync(file);
    const clip = engine.open();
    clip.add(bytes.subarray(0, bytes.length / 2));
    assert.ok(clip.frames > 0);
    const early = clip.poses(0, 1);
    assert.ok(early.length > 0);
    clip.add(bytes.subarray(bytes.length / 2));
    const { info } = clip.finish();
    assert.equal(clip.frames, info.frames);
    assert.deepEqual(clip.poses(0, 1), early);
    const [emitted] = Object.values(engine.convert(
        bytes, { emit: ['positions'], end_sites: true }).outputs);
    assert.deepEqual(clip.poses(0, info.frames), emitted.data);
    assert.equal(clip.poses(info.frames, 5).length, 0);
    clip.close();
  });
});

test('a clip tells its joints while it is read', () => {
  const bytes = readFileSync(files.find((name) => name.includes('walk')) ??
                             files[0]);
  const clip = engine.open();
  assert.equal(clip.soFar().info, null);
  clip.add(bytes.subarray(0, bytes.length / 2));
  const { info, declared_frames: declared } = clip.soFar();
  assert.ok(info.frames > 0 && info.frames < declared);
  const early = clip.values(0, info.frames);
  clip.add(bytes.subarray(bytes.length / 2));
  const all = clip.finish().info;
  assert.equal(all.frames, declared);
  assert.deepEqual(info.joints, all.joints);
  const { data } = engine.convert(bytes, { emit: ['values'] }).outputs.values;
  assert.deepEqual(clip.values(0, all.frames), data);
  assert.deepEqual(early, data.slice(0, early.length));
  clip.close();
});

test('bad options are an exception', () => {
  assert.throws(
      () => engine.validate(new Uint8Array(), { fsp: 30 }),
      (error) => error instanceof BvhmillError &&
          error.code === 'INVALID_ARGUMENT' && error.field === 'fsp');
});

test('names in Shift-JIS', () => {
  const clip = Buffer.concat([
    Buffer.from('HIERARCHY\nROOT '), Buffer.from([0x89, 0x45, 0x98, 0x72]),
    Buffer.from('\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n' +
        'End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\n' +
        'Frame Time: 0.01\n0 0 0\n'),
  ]);
  const { info } = engine.validate(clip, { name_encoding: 'shift-jis' });
  assert.equal(info.joints[0].name, '右腕');
});
