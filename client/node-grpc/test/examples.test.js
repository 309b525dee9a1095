// The examples of docs/examples/node that use this package run as they stand.

import assert from 'node:assert';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

import {
  PACKAGE, ROOT, convertHere, hashToken, makeFolder, makeTakes, removeFolder,
  startServer,
} from './support.js';

const folder = makeFolder();
const walk = join(folder, 'walk_cycle.bvh');
const broken = join(folder, 'broken.bvh');
const children = [];
let server;

before(async () => {
  makeTakes(folder);
  writeFileSync(broken, 'HIERARCHY\nROOT Hips\n{\n  OFSET 0\n');
  // As after `npm install` in the folder of the examples.
  for (const name of ['backend.js', 'jobs.js']) {
    cpSync(join(ROOT, 'docs', 'examples', 'node', name), join(folder, name));
  }
  mkdirSync(join(folder, 'node_modules', '@bvhmill'), { recursive: true });
  symlinkSync(PACKAGE, join(folder, 'node_modules', '@bvhmill', 'client'));
  symlinkSync(join(PACKAGE, 'node_modules', 'express'),
    join(folder, 'node_modules', 'express'));
  const tls = ['server.pem', 'server.key'].map((name) => join(folder, name));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes',
    '-days', '2', '-out', tls[0], '-keyout', tls[1], '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'ignore' });
  writeFileSync(join(folder, 'tokens'), hashToken('web', 'web-secret'));
  server = await startServer('--tls-cert', tls[0], '--tls-key', tls[1],
    '--token-file', join(folder, 'tokens'));
});

after(async () => {
  for (const child of children) child.kill();
  await server.stop();
  removeFolder(folder);
});

async function startBackend(env = {}) {
  const child = spawn(process.execPath,
    ['--no-warnings', join(folder, 'backend.js')],
    { stdio: ['ignore', 'pipe', 'inherit'], env: {
      ...process.env, PORT: '0', BVHMILL_SERVER: server.address,
      BVHMILL_CA: join(folder, 'server.pem'), BVHMILL_TOKEN: 'web-secret',
      ...env,
    } });
  children.push(child);
  const [line] = await once(createInterface(child.stdout), 'line');
  return { url: line.replace('listening on ', ''), child };
}

test('backend.js answers with npz, and with reports of broken takes',
  async () => {
    const { url, child } = await startBackend();
    const put = (path, body) => fetch(`${url}${path}`, { method: 'PUT', body });
    const good = await put('/takes?fps=30', readFileSync(walk));
    assert.strictEqual(good.headers.get('content-type'), 'application/zip');
    assert.ok(Buffer.from(await good.arrayBuffer())
      .equals(convertHere(walk, folder, 'npz', '--fps', '30')));
    const bad = await put('/takes', readFileSync(broken));
    assert.strictEqual(bad.status, 422);
    const { reason, report } = await bad.json();
    assert.strictEqual(reason, 'HIERARCHY_WORD_UNKNOWN');
    assert.strictEqual(report.verdict, 'VERDICT_UNREADABLE');
    const wrong = await put('/takes?fps=fast', readFileSync(walk));
    assert.strictEqual((await wrong.json()).field, 'fps');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.strictEqual((await ended)[0], 0);
  });

test('backend.js works on when a browser goes away', async () => {
  const { url } = await startBackend();
  // Its size says that it is large, so that it is passed on.
  const upload = request(`${url}/takes`, { method: 'PUT',
    headers: { 'content-length': 100 << 20 } });
  upload.on('error', () => {});
  upload.write(readFileSync(walk));
  await new Promise((resolve) => { setTimeout(resolve, 300); });
  upload.destroy();
  const next = await fetch(`${url}/takes`,
    { method: 'PUT', body: readFileSync(walk) });
  assert.strictEqual(next.status, 200);
});

test('backend.js says that the server is away', async () => {
  const { url } = await startBackend({ BVHMILL_SERVER: '127.0.0.1:1' });
  const answer = await fetch(`${url}/takes`,
    { method: 'PUT', body: readFileSync(walk) });
  assert.strictEqual(answer.status, 503);
  assert.strictEqual((await answer.json()).code, 'UNAVAILABLE');
});

test('jobs.js writes files, and goes on after a bad take', async () => {
  const own = await startServer('--data-dir', join(folder, 'data'));
  const out = join(folder, 'night');
  const run = (...args) => spawnSync(process.execPath,
    ['--no-warnings', join(folder, 'jobs.js'), ...args],
    { encoding: 'utf8' });
  const ran = run(out, broken, walk, '--server', own.address);
  assert.strictEqual(ran.status, 1, ran.stderr);
  assert.match(ran.stderr, /broken\.bvh:4:3: error: /);
  assert.ok(readFileSync(join(out, 'walk_cycle.npz'))
    .equals(convertHere(walk, folder, 'npz')));
  assert.strictEqual(run().status, 2);
  const begun = Date.now();
  assert.strictEqual(run(out, walk, '--server', '127.0.0.1:1').status, 3);
  assert.ok(Date.now() - begun < 15_000);
  await own.stop();
});
