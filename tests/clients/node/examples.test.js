// The programs of docs/examples/node do what they say.
'use strict';

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { ROOT, startMill, makeFolder, makeTakes } = require('./mill');

const EXAMPLES = path.join(ROOT, 'docs', 'examples', 'node');
const folder = makeFolder();
const walk = path.join(folder, 'walk_cycle.bvh');
const broken = path.join(folder, 'broken.bvh');
let mill;

function run(name, ...args) {
  return spawnSync(process.execPath, [path.join(EXAMPLES, name), ...args],
    { encoding: 'utf8' });
}

before(async () => {
  makeTakes(folder);
  fs.writeFileSync(broken, 'HIERARCHY\nROOT Hips\n{\n  OFSET 0\n');
  mill = await startMill();
});

after(async () => {
  await mill.stop();
  fs.rmSync(folder, { recursive: true });
});

test('convert.js prints where joints are', () => {
  const ran = run('convert.js', walk, mill.address);
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(ran.stdout,
    /^120 frames of \d+ joints; positions \(frame,joint,xyz\) = \(120,\d+,3\)/);
  assert.match(ran.stdout, /^frame 0, Hips: -?\d+\.\d\d -?\d+\.\d\d /m);
});

test('convert.js says where a file is broken', () => {
  const ran = run('convert.js', broken, mill.address);
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /^INVALID_ARGUMENT: 4:3: error: /);
  assert.match(ran.stderr, /^4:3: SEVERITY_ERROR: [A-Z_]+: /m);
});

test('convert_many.js goes on behind a broken file', () => {
  const ran = run('convert_many.js', mill.address, broken, walk);
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /broken\.bvh: 4:3: error: /);
  assert.match(ran.stdout, /walk_cycle\.bvh: positions \(120,\d+,3\)/);
});

test('first.js of the README prints the shape', () => {
  const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const program = readme.split('save this as `first.js`')[1]
    .split('```js\n')[1].split('```')[0]
    .replace('127.0.0.1:7450', mill.address)
    .replace('build/demo/takes', folder);
  const ran = spawnSync(process.execPath, ['-e', program],
    { cwd: ROOT, encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(ran.stdout, /^\[ 120, \d+, 3 \] Float32Array\(3\)/);
});
