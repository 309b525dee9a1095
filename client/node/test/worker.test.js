// The engine in a worker, of the files and of inlined.js.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import * as main from '../bvhmill.js';
import * as inlined from '../inlined.js';
import { makeSamples, manyPoses, temporaryFolder, wasm } from './clips.js';

const folder = temporaryFolder();
makeSamples(folder);
const file = join(folder, 'walk_cycle.bvh');
const bytes = readFileSync(file);
const module = await WebAssembly.compile(readFileSync(wasm));
const engine = await main.load(module);
const expected = engine.convert(bytes, { emit: ['positions', 'bvh'] });

async function* pieces(of, size) {
  for (let i = 0; i < of.length; i += size) yield of.subarray(i, i + size);
}

// Bytes, and then nothing more.
async function* endless(state) {
  try {
    yield bytes;
    await new Promise((resolve) => { state.end = resolve; });
  } finally {
    state.ended = true;
  }
}

for (const [name, { BvhmillError, worker }, options] of [
  ['bvhmill.js', main, { module }], ['inlined.js', inlined, undefined],
]) {
  describe(name, () => {
    const threads = worker(options);
    after(() => threads.terminate());

    const packed = gzipSync(bytes);
    const sources = {
      'a Uint8Array': () => bytes,
      'an ArrayBuffer': () => new Uint8Array(bytes).buffer,
      'a DataView': () => new DataView(new Uint8Array(bytes).buffer),
      'a Blob': () => new Blob([bytes]),
      'a ReadableStream': () => new Blob([bytes]).stream(),
      'a stream of Node': () => createReadStream(file),
      'an async iterable': () => pieces(bytes, 1000),
      'bytes of .gz': () => packed,
      'a Blob of .gz': () => new Blob([packed]),
      'single bytes of .gz': () => pieces(packed, 1),
    };
    for (const [kind, source] of Object.entries(sources)) {
      test(`converts ${kind}`, async () => {
        const result = await threads.convert(
            source(), { emit: ['positions', 'bvh'] });
        assert.deepEqual(result, expected);
      });
    }

    test('has other methods of the engine', async () => {
      assert.deepEqual(await threads.about(), engine.about());
      assert.deepEqual(await threads.catalogue(), engine.catalogue());
      assert.deepEqual(await threads.validate(bytes), engine.validate(bytes));
    });

    test('leaves the memory of the caller', async () => {
      const own = new Uint8Array(bytes);
      await threads.validate(own);
      assert.deepEqual(own, new Uint8Array(bytes));
    });

    test('reads clips in pieces, several at once', async () => {
      const [a, b] = [await threads.open(), await threads.open()];
      await a.add(bytes.subarray(0, bytes.length / 2));
      assert.ok(a.frames > 0 && a.frames < 120);
      assert.equal(b.frames, 0);
      await b.add(bytes);
      const poses = await b.poses(0, 1);
      assert.equal((await b.finish()).info.frames, 120);
      await a.add(bytes.subarray(bytes.length / 2));
      assert.deepEqual(await a.poses(0, 1), poses);
      assert.deepEqual(await a.issues(), []);
      assert.equal((await a.finish()).info.frames, 120);
      a.close();
      b.close();
      await assert.rejects(a.add(bytes), { code: 'FAILED_PRECONDITION' });
    });

    test('rejects with the errors of the engine', async () => {
      await assert.rejects(threads.validate(bytes, { fsp: 30 }), (error) => {
        assert.ok(error instanceof BvhmillError);
        const { name, message, ...fields } = error;
        assert.throws(() => engine.validate(bytes, { fsp: 30 }),
                      { name, message, ...fields });
        return fields.code === 'INVALID_ARGUMENT' && fields.field === 'fsp';
      });
      for (const source of [null, undefined, 'text', 5, {}, [1], ['text']]) {
        await assert.rejects(threads.validate(source), TypeError);
      }
      for (const options of [{ fps: NaN }, { fps: () => 30 }, { from: 'x' }]) {
        await assert.rejects(threads.validate(bytes, options), TypeError);
      }
      await assert.rejects(
          threads.validate(packed.subarray(0, 1000)),
          (error) => error instanceof BvhmillError &&
              error.code === 'INVALID_ARGUMENT' && /gzip/.test(error.message));
    });

    test('passes on the error of a source', async () => {
      const failure = new Error('the disk is gone');
      const source = (async function* () {
        yield bytes;
        throw failure;
      })();
      await assert.rejects(threads.validate(source),
                           (error) => error === failure);
    });

    test('stops reading a source when the clip needs no more', async () => {
      const stated = {};
      const text = 'no clip at all\n'.repeat(100_000);
      const source = (async function* () {
        try {
          for (let i = 0; i < 1000; ++i) yield Buffer.from(text);
        } finally {
          stated.ended = true;
        }
      })();
      const { report } = await threads.validate(source);
      assert.equal(report.verdict, 'VERDICT_UNREADABLE');
      assert.ok(stated.ended);
    });

    test('stops at a signal', async () => {
      const reason = new Error('enough');
      await assert.rejects(
          threads.validate(bytes, { signal: AbortSignal.abort(reason) }),
          (error) => error === reason);
      const controller = new AbortController();
      const state = {};
      const call = threads.validate(
          endless(state), { signal: controller.signal });
      while (!state.end) await new Promise(setImmediate);
      controller.abort(reason);
      await assert.rejects(call, (error) => error === reason);
      state.end();
      await new Promise(setImmediate);
      assert.ok(state.ended);
      assert.equal((await threads.validate(bytes)).info.frames, 120);
    });

    test('has a new instance after memory is exhausted', async () => {
      const clip = await threads.open();
      await clip.add(bytes);
      const large = await threads.open();
      await large.add(manyPoses());
      await assert.rejects(large.poses(0, large.frames),
                           { code: 'RESOURCE_EXHAUSTED' });
      await assert.rejects(clip.finish(), { code: 'ABORTED' });
      clip.close();
      large.close();
      assert.deepEqual(
          await threads.convert(bytes, { emit: ['positions', 'bvh'] }),
          expected);
    });

    test('rejects everything after terminate()', async () => {
      const own = worker(options);
      const clip = await own.open();
      const call = assert.rejects(
          own.validate(endless({})), { code: 'CANCELLED' });
      await clip.add(bytes);
      const waiting = assert.rejects(clip.finish(), { code: 'CANCELLED' });
      await own[Symbol.asyncDispose]();
      await waiting;
      await call;
      await assert.rejects(clip.poses(0, 1), { code: 'CANCELLED' });
      await assert.rejects(own.validate(bytes), { code: 'CANCELLED' });
    });
  });
}

test('a module that is not there rejects the calls', async () => {
  const engine = main.worker({ module: new URL('file:///no/module.wasm') });
  await assert.rejects(engine.validate(bytes), { code: 'ENOENT' });
  await assert.rejects(engine.about(), { code: 'ENOENT' });
  await engine.terminate();
});

test('a worker without calls does not keep the process alive', () => {
  const program = `
    import { worker } from ${JSON.stringify(
        new URL('../inlined.js', import.meta.url))};
    import { readFileSync } from 'node:fs';
    const { info } = await worker().validate(
        readFileSync(${JSON.stringify(file)}));
    console.log(info.frames);`;
  const { stdout, status } = spawnSync(
      process.execPath, ['--input-type=module', '-e', program],
      { encoding: 'utf8', timeout: 60_000 });
  assert.equal(stdout, '120\n');
  assert.equal(status, 0);
});
