// Compares the engine with the command line: BVHMILL_BIN states the folder of
// the programs, BVHMILL_DATA a folder of further clips.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdtempSync, readFileSync, readdirSync, rmSync, existsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { BvhmillError, load } from '../bvhmill.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const bin = process.env.BVHMILL_BIN ?? join(root, 'build/release/bin');
const wasm = process.env.BVHMILL_WASM ?? join(root, 'build/wasm/bvhmill.wasm');
const bvhmill = join(bin, 'bvhmill');

const folder = mkdtempSync(join(tmpdir(), 'bvhmill-'));
after(() => rmSync(folder, { recursive: true }));
execFileSync(join(bin, 'bvhmill_samples'), [join(folder, 'samples')]);

function bvhFiles(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.bvh'))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort();
}

const files = bvhFiles(join(folder, 'samples'));
if (process.env.BVHMILL_DATA) files.push(...bvhFiles(process.env.BVHMILL_DATA));

let engine;
before(async () => {
  engine = await load(readFileSync(wasm));
});

// The line of `bvhmill validate --json` for a file.
function validated(file) {
  const { stdout } = spawnSync(
      bvhmill, ['validate', '--json', file],
      { encoding: 'utf8', maxBuffer: 1 << 28 });
  return JSON.parse(stdout);
}

// The outputs that `bvhmill convert` makes of a file, by their name endings.
function converted(file, out) {
  spawnSync(bvhmill, ['convert', file, '-o', out, '--emit',
                      'positions,bvh,values,anim', '--anim-accept-odd']);
  const made = {};
  for (const name of existsSync(out) ? readdirSync(out) : []) {
    const ending = /\.(positions\.npy|values\.npy|bvh|anim)$/.exec(name);
    if (ending) made[ending[1]] = readFileSync(join(out, name));
  }
  return made;
}

// The floats of an .npy file.
function floatsOf(npy) {
  const begin = 10 + npy.readUInt16LE(8);
  return new Float32Array(
      npy.buffer.slice(npy.byteOffset + begin, npy.byteOffset + npy.length));
}

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

// Positions and the functions of the C library differ in their last bits.
function assertNearMeasures(actual, expected, at = 'measures') {
  if (typeof expected === 'number' && !at.endsWith('.frame')) {
    const scale = Math.max(1e-3, Math.abs(expected));
    const error = Math.abs(actual - expected) / scale;
    assert.ok(error < 1e-3, `${at}: ${actual}, not ${expected}`);
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
  for (const file of files) {
    test(basename(file), () => {
      const bytes = readFileSync(file);
      const expected = validated(file);
      const { status, report, info, measures } =
          engine.validate(bytes, { measures: true });
      assert.deepEqual(report, expected.report);
      assert.deepEqual(info, expected.info);
      assertNearMeasures(measures, expected.measures);

      const out = mkdtempSync(join(folder, 'out-'));
      const made = converted(file, out);
      rmSync(out, { recursive: true });
      const { outputs } = engine.convert(bytes, {
        emit: ['positions', 'bvh', 'values', 'anim'],
        anim_accept_odd: true,
      });
      const names = Object.values(outputs).filter((o) => o.data !== null);
      assert.equal(names.length, Object.keys(made).length, status.message);
      for (const [ending, file] of Object.entries(made)) {
        const { data, shape } = outputs[ending.split('.')[0]];
        if (ending === 'positions.npy') {
          assertNear(data, floatsOf(file), shape[1] * 3);
        } else if (ending === 'values.npy') {
          assertSameBytes(data, floatsOf(file), ending);
        } else {
          assertSameBytes(data, file, ending);
        }
      }
    });
  }
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
  const bytes = readFileSync(files[0]);
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

test('an .anim is a clip, too', () => {
  const { outputs } = engine.convert(
      readFileSync(files.find((name) => name.includes('walk'))),
      { emit: ['anim'] });
  const clip = engine.open({ format: 'anim' });
  clip.add(outputs.anim.data);
  const { status, info } = clip.finish();
  assert.equal(status.code, 'OK', status.message);
  assert.ok(info.joints.some(({ name }) => name === 'mPelvis'));
  assert.ok(clip.poses(0, 1).length > 0);
  clip.close();
});

test('the catalogue is that of the command line', () => {
  const lines = execFileSync(bvhmill, ['explain', '--json'],
                             { encoding: 'utf8' }).trim().split('\n');
  const expected = lines.map((line) => {
    const { thresholds, ...entry } = JSON.parse(line);
    return entry;
  });
  assert.deepEqual(engine.catalogue(), expected);
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
