// The programs of docs/examples/node that use this package do what they say.
// NODE_PATH has the packages of tests/clients/wasm.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { makeSamples, root, temporaryFolder } from './clips.js';

const skip = process.env.NODE_PATH ? false :
    'NODE_PATH states no packages of npm';
const folder = temporaryFolder();
const takes = join(folder, 'takes');

function example(name) {
  const file = join(folder, name);
  copyFileSync(join(root, 'docs/examples/node', name), file);
  return file;
}

before(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(fileURLToPath(new URL('..', import.meta.url)),
              join(folder, 'node_modules/bvhmill'));
  makeSamples(takes);
  writeFileSync(join(takes, 'broken.bvh'), 'HIERARCHY\nROOT Hips\n{\n  OFSET 0\n');
  writeFileSync(join(takes, 'packed.bvh.gz'),
                gzipSync(readFileSync(join(takes, 'hand_wave.bvh'))));
});

test('pool.js checks a folder', () => {
  const { stdout, stderr, status } = spawnSync(
      process.execPath, [example('pool.js'), takes],
      { encoding: 'utf8', timeout: 120_000 });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /static_pose\.bvh: VERDICT_/);
  assert.match(stdout, /packed\.bvh\.gz: VERDICT_VALID/);
  assert.match(stdout, /broken\.bvh: VERDICT_UNREADABLE\n {2}4: /);
  assert.equal(stdout.match(/: VERDICT_/g).length, 9);
});

test('validate_upload.js checks uploads', { skip }, async () => {
  const server = spawn(process.execPath, [example('validate_upload.js')],
                       { env: { ...process.env, PORT: '0' } });
  try {
    const lines = createInterface({ input: server.stdout });
    const [line] = await new Promise((resolve) =>
      lines.once('line', (...all) => resolve(all)));
    const url = `${line.replace('listening on ', '')}/takes`;
    const put = async (body) => {
      const response = await fetch(url, { method: 'PUT', body });
      return [response.status, await response.json()];
    };
    const take = (name) => readFileSync(join(takes, name));
    const [status, { info }] = await put(take('walk_cycle.bvh'));
    assert.deepEqual([status, info.frames], [200, 120]);
    const [broken, { report }] = await put(take('broken.bvh'));
    assert.deepEqual([broken, report.issues[0].location.line], [422, 4]);
    const [cut] = await put(take('packed.bvh.gz').subarray(0, 500));
    assert.equal(cut, 400);
  } finally {
    server.kill();
  }
});
