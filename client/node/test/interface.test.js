// Random calls of the engine, with hostile values: they return, or throw a
// BvhmillError or a TypeError. BVHMILL_ROUNDS states the number of calls.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { BvhmillError, load } from '../bvhmill.js';
import {
  makeSamples, manyPoses, mutated, randomNumbers, root, temporaryFolder,
  wasm,
} from './clips.js';

const rounds = Number(process.env.BVHMILL_ROUNDS ?? 3000);
const random = randomNumbers(7);
const pick = (list) => list[random(list.length)];

const folder = temporaryFolder();
makeSamples(folder);
const walk = readFileSync(join(folder, 'walk_cycle.bvh'));
const takes = ['walk_cycle', 'static_pose', 'two_dancers', 'mixed_orders']
    .map((name) => readFileSync(join(folder, `${name}.bvh`)));
const { properties } = JSON.parse(readFileSync(
    join(root, 'docs/schema/options.schema.json'), 'utf8'));

const NUMBERS = [
  0, -0, 1, -1, 2, 0.5, 30, 120, 1e-300, 1e9, 2 ** 31, 2 ** 32, -(2 ** 31),
  2 ** 53, -(2 ** 63), 2 ** 64, 1e308, NaN, Infinity, -Infinity,
];
const NAMES = [
  '', ' ', 'Hips', '__proto__', 'constructor', 'toString', 'a\0b', '\n', '"',
  '\\', '../../etc/passwd', '\ud800', '\u202e', '右腕', 'x'.repeat(100_000),
  'Hips#2', '{}', '%s%n', '*', 'DATA_*',
];
const ODD = [
  null, undefined, true, [], {}, [[]], Symbol('odd'), () => 1, 10n, new Date(),
  new Map(), /x/, Object.create(null),
];
const BYTES = [
  new ArrayBuffer(0), new Uint8Array(1), new Float64Array(3),
  new DataView(new ArrayBuffer(9), 3), new SharedArrayBuffer(5), 'text', 7, -1,
  null, undefined, {}, [1, 2], Symbol('bytes'), new Uint8Array(200_000).fill(123),
];

const OWN = new RegExp('^(bytes are no |the options are no |from: |' +
    'the number of a frame |[^]*: [^]* is no value$)');

function value(depth = 0) {
  switch (random(depth > 2 ? 3 : 6)) {
    case 0: return pick(NUMBERS);
    case 1: return pick(NAMES);
    case 2: return pick(ODD);
    case 3: return Array.from({ length: random(4) }, () => value(depth + 1));
    default:
      return Object.fromEntries(Array.from(
          { length: random(4) }, () => [pick(NAMES), value(depth + 1)]));
  }
}

// A value that the schema of the option permits.
function permitted({ type, enum: values, anyOf, items, minItems, maxItems,
                     additionalProperties: of, minimum = 0, maximum = 100,
                     properties }) {
  if (anyOf) return permitted(pick(anyOf));
  if (values) return pick(values);
  const kind = Array.isArray(type) ? pick(type) : type;
  switch (kind) {
    case 'boolean': return random(2) === 1;
    case 'integer': return minimum + random(Math.min(maximum, 100) - minimum + 1);
    case 'number': return random(1000) / 8 + 0.125;
    case 'string': return pick(NAMES.slice(0, 14));
    case 'null': return null;
    case 'array': {
      const length = (minItems ?? 0) + random((maxItems ?? 3) - (minItems ?? 0) + 1);
      return Array.from({ length }, () => permitted(items));
    }
    default:
      return Object.fromEntries(properties ?
        Object.entries(properties).filter(([key]) => key === 'format' || !random(9))
            .map(([key, schema]) => [key, permitted(schema)]) :
        [[pick(NAMES), permitted(of)]]);
  }
}

function options() {
  if (random(30) === 0) return value();
  const some = {};
  for (let n = random(4); n > 0; --n) {
    const key = pick(Object.keys(properties));
    some[key] = random(4) ? permitted(properties[key]) : value();
  }
  if (random(20) === 0) some[pick(NAMES)] = value();
  if (random(10) === 0) some.from = pick(['bvh', 'anim', 'fbx', '__proto__', 1]);
  return some;
}

function clipBytes() {
  const take = pick(takes);
  switch (random(5)) {
    case 0: return mutated(take, random);
    // Names of joints.
    case 1: return Buffer.from(
        take.toString('latin1').replace(/(JOINT|ROOT) \w+/g, (all, word) =>
            random(3) ? all : `${word} ${pick(NAMES)}`));
    case 2: return take.subarray(random(take.length), random(take.length));
    case 3: return pick(BYTES);
    default: return take;
  }
}

test(`${rounds} random calls`, async (t) => {
  const engine = await load(readFileSync(wasm));
  const right = engine.convert(walk, { emit: ['positions', 'bvh'] });
  const clips = [];
  const tally = { ended: 0, BvhmillError: 0, TypeError: 0 };
  const calls = {
    open: () => {
      while (clips.length > 8) clips.shift().close();
      clips.push(engine.open(options()));
    },
    openPlain: () => {
      clips.push(engine.open());
      clips.at(-1).add(pick(takes).subarray(0, 1 + random(40_000)));
    },
    add: (clip) => clip?.add(clipBytes()),
    finish: (clip) => random(3) || clip?.finish(),
    frames: (clip) => assert.ok(!clip || clip.frames >= 0),
    exhaust: () => {
      if (random(100) > 0) return;
      const clip = engine.open();
      clip.add(manyPoses());
      clip.poses(0, clip.frames);
    },
    poses: (clip) => clip?.poses(random(9) ? pick(NUMBERS) : value(),
                                 random(9) ? pick(NUMBERS) : value()),
    issues: (clip) => clip?.issues(),
    close: (clip) => random(9) || clip?.close(),
    convert: () => engine.convert(clipBytes(), options()),
    validate: () => engine.validate(clipBytes(), options()),
  };
  const names = Object.keys(calls);
  for (let i = 0; i < rounds; ++i) {
    const name = pick(names);
    try {
      calls[name](pick(clips));
      ++tally.ended;
    } catch (error) {
      const isKnown =
          error instanceof BvhmillError || error.constructor === TypeError;
      if (!isKnown) t.diagnostic(`call ${i}: ${name}`);
      if (!isKnown) throw error;
      // Messages of JavaScript itself would be those of a fault.
      const isOwn = error instanceof BvhmillError || OWN.test(error.message);
      assert.ok(isOwn, error.stack);
      ++tally[error.name];
      tally[error.code] = (tally[error.code] ?? 0) + 1;
    }
    if (i % 500 === 0) {
      assert.deepEqual(
          engine.convert(walk, { emit: ['positions', 'bvh'] }), right);
    }
  }
  assert.deepEqual(engine.convert(walk, { emit: ['positions', 'bvh'] }), right);
  for (const clip of clips) clip.close();
  t.diagnostic(JSON.stringify(tally));
});
