// The HTTP API: its description is valid OpenAPI, and the Express example passes
// takes on.
'use strict';

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { after, before, test } = require('node:test');
const { ROOT, makeFolder, makeTakes } = require('./server_process');

const folder = makeFolder();
const children = [];
let http;

// Runs a program until it prints a line that `pattern` matches.
async function startAndFind(pattern, program, args, env = {}) {
  const child = spawn(program, args,
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  children.push(child);
  for await (const line of readline.createInterface(child.stdout)) {
    const found = line.match(pattern);
    if (found) return found[1];
  }
  throw new Error(`${program} ended`);
}

before(async () => {
  makeTakes(folder);
  const address = await startAndFind(/^http on (.*)/,
    path.join(process.env.BVHMILL_BIN, 'bvhmilld'),
    ['--listen', '127.0.0.1:0', '--http', '0', '--data-dir', 'none']);
  http = `http://${address}`;
});

after(() => {
  for (const child of children) child.kill();
  fs.rmSync(folder, { recursive: true });
});

test('the description is OpenAPI 3.1', async () => {
  const { Validator } = await import(require.resolve(
    '@seriousme/openapi-schema-validator'));
  const api = await (await fetch(`${http}/v1/openapi.json`)).json();
  const validator = new Validator();
  const result = await validator.validate(api);
  assert.deepStrictEqual(result.errors ?? [], []);
  assert.ok(result.valid);
  assert.strictEqual(validator.version, '3.1');
});

test('Express passes takes and errors on', async () => {
  const express = await startAndFind(/^listening on (.*)/, process.execPath,
    [path.join(ROOT, 'docs', 'examples', 'node', 'express.js')],
    { BVHMILL_HTTP: http, PORT: '0' });
  const body = fs.readFileSync(path.join(folder, 'walk_cycle.bvh'));
  const direct = await fetch(`${http}/v1/convert?emit=npz`,
    { method: 'PUT', body });
  const passed = await fetch(`${express}/takes/npz`, { method: 'PUT', body });
  assert.strictEqual(passed.status, 200);
  assert.deepStrictEqual(Buffer.from(await passed.arrayBuffer()),
    Buffer.from(await direct.arrayBuffer()));
  const wrong = await fetch(`${express}/takes/fbx`, { method: 'PUT', body });
  assert.strictEqual(wrong.status, 400);
  assert.match((await wrong.json()).detail, /'fbx' is no format/);
});
