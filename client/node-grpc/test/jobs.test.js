// Jobs: whole, with bad clips, cancelled, and over a restart of the server.

import assert from 'node:assert';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Bvhmill } from '@bvhmill/client';

import {
  all, bytesOf, convertHere, makeFolder, makeTakes, removeFolder, startServer,
  writeLargeTake,
} from './support.js';

const folder = makeFolder();
const data = join(folder, 'data');
const walk = join(folder, 'walk_cycle.bvh');
const broken = join(folder, 'broken.bvh');
const missing = join(folder, 'missing.bvh');
let server;
let mill;

before(async () => {
  makeTakes(folder);
  writeFileSync(broken, 'HIERARCHY\nROOT Hips\n{\n  OFSET 0\n');
  server = await startServer('--data-dir', data);
  mill = new Bvhmill(server.address);
});

after(async () => {
  mill.close();
  await server.stop();
  removeFolder(folder);
});

test('a job is submitted, waited for, fetched and deleted', async () => {
  const uploads = [];
  const { job, errors } = await mill.jobs.submit([walk, broken, missing], {
    emit: ['positions', 'npz'], fps: 30, displayName: 'night',
    annotations: { show: 'a' }, onUpload: (...at) => uploads.push(at),
  });
  assert.strictEqual(job.items.total, 2);
  assert.deepStrictEqual(Object.keys(errors), [missing]);
  assert.strictEqual(uploads.at(-1)[0], uploads.at(-1)[1]);
  const seen = [];
  const now = await mill.jobs.wait(job,
    { onProgress: ({ state }) => seen.push(state) });
  assert.strictEqual(now.state, 'succeeded');
  assert.strictEqual(seen.at(-1), 'succeeded');
  assert.deepStrictEqual([now.items.ok, now.items.failed], [1, 1]);
  const [good, bad] = await all(mill.jobs.results(job));
  assert.strictEqual(good.key, walk);
  for (const format of ['positions', 'npz']) {
    assert.ok(bytesOf(good.conversion.outputs[format])
      .equals(convertHere(walk, folder, format, '--fps', '30')));
  }
  assert.strictEqual(bad.key, broken);
  assert.strictEqual(bad.error.reason, 'HIERARCHY_WORD_UNKNOWN');
  assert.strictEqual(bad.report.verdict, 'VERDICT_UNREADABLE');
  const failed = await all(mill.jobs.results(job, { failedOnly: true }));
  assert.deepStrictEqual(failed.map(({ key }) => key), [broken]);
  const got = await mill.jobs.get(job.name);
  assert.deepStrictEqual([got.displayName, got.annotations.show],
    ['night', 'a']);
  const listed = await all(mill.jobs.list({ states: ['succeeded'] }));
  assert.ok(listed.some(({ name }) => name === job.name));
  await mill.jobs.delete(job);
  await assert.rejects(mill.jobs.get(job),
    { code: 'NOT_FOUND', reason: 'JOB_UNKNOWN' });
});

test('sources have keys; streams and bytes are sources, too', async () => {
  const sources = {
    stream: createReadStream(walk), bytes: Buffer.from('BVH'),
  };
  const submitted = await mill.jobs.submit(sources, { emit: ['csv'] });
  const results = await all(mill.jobs.results(submitted));
  assert.deepStrictEqual(results.map(({ key, ok }) => [key, ok]),
    [['stream', true], ['bytes', false]]);
});

test('the same request_id is the same job', async () => {
  const options = { requestId: 'one', emit: ['csv'] };
  const [a, b] = [await mill.jobs.submit([walk], options),
    await mill.jobs.submit([walk], options)];
  assert.strictEqual(a.job.name, b.job.name);
});

test('a job is cancelled', async () => {
  const large = writeLargeTake(join(folder, 'large.bvh'), 30_000);
  const { job } = await mill.jobs.submit(
    new Map(Array.from({ length: 20 }, (_, i) => [`${i}`, large])),
    { emit: ['npz'] });
  await assert.rejects(mill.jobs.delete(job), { reason: 'JOB_NOT_OVER' });
  await mill.jobs.cancel(job);
  assert.strictEqual((await mill.jobs.wait(job)).state, 'cancelled');
});

test('a job outlives its server, and calls wait for the next', async () => {
  const { job } = await mill.jobs.submit([walk], { emit: ['csv'] });
  await server.stop('SIGKILL');
  const next = startServer('--data-dir', data, '--listen', server.address);
  const [result] = await all(mill.jobs.results(job));
  server = await next;
  assert.ok(bytesOf(result.conversion.outputs.csv)
    .equals(convertHere(walk, folder, 'csv')));
});

test('a wait has a deadline and a signal', async () => {
  const large = join(folder, 'large.bvh');
  const { job } = await mill.jobs.submit(
    new Map(Array.from({ length: 20 }, (_, i) => [`${i}`, large])),
    { emit: ['npz'] });
  await assert.rejects(mill.jobs.wait(job, { timeoutMs: 50 }),
    { code: 'DEADLINE_EXCEEDED' });
  const signal = AbortSignal.timeout(50);
  await assert.rejects(mill.jobs.wait(job, { signal }),
    { name: 'TimeoutError' });
  await mill.jobs.cancel(job);
});

test('a server without jobs says so', async () => {
  const none = await startServer();
  const client = new Bvhmill(none.address);
  await assert.rejects(client.jobs.submit([walk]),
    { code: 'UNIMPLEMENTED', reason: 'JOBS_OFF' });
  client.close();
  await none.stop();
});

test('wrong orders are refused', async () => {
  await assert.rejects(mill.jobs.submit([missing]), { code: 'ENOENT' });
  await assert.rejects(mill.jobs.submit([]), { field: 'sources' });
  await assert.rejects(mill.jobs.submit([walk], { fsp: 3 }),
    { field: 'fsp' });
  await assert.rejects(all(mill.jobs.list({ states: ['done'] })),
    { field: 'states' });
});
