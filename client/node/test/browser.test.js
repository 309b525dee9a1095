// The engine in Debian's Chromium does what it does in Node: reports and
// outputs of all clips are equal. In a page, in a worker, and in a page of one
// file without a server. NODE_PATH has the packages of tests/clients/wasm.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { load } from '../bvhmill.js';
import {
  EMIT, makeClips, manyPoses, optionsFor, root, temporaryFolder, wasm,
} from './clips.js';

const here = fileURLToPath(new URL('..', import.meta.url));
const chromium = process.env.BVHMILL_CHROMIUM ?? '/usr/bin/chromium';
const skip = !process.env.NODE_PATH ? 'NODE_PATH states no packages of npm' :
    !existsSync(chromium) ? 'there is no chromium' : false;

const folder = temporaryFolder();
const files = skip ? [] : makeClips(folder);

const TYPES = {
  '.js': 'text/javascript', '.html': 'text/html', '.wasm': 'application/wasm',
};

// Serves the package, a page and the clips.
const server = createServer((request, response) => {
  const name = decodeURIComponent(request.url.slice(1));
  const path = name.startsWith('clips/') ? join(folder, name) :
      join(here, basename(name));
  if (name === '') {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>clips</title>' +
        '<link rel="icon" href="data:,">');
  } else if (existsSync(path)) {
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain');
    response.end(readFileSync(path));
  } else {
    response.statusCode = 404;
    response.end();
  }
});

let context;
let page;
let engine;
const faults = [];

before(async () => {
  if (skip) return;
  engine = await load(readFileSync(wasm));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { startBrowser } = createRequire(import.meta.url)(
      join(root, 'tests/clients/page/browser.js'));
  context = await startBrowser();
  page = await openPage(`http://127.0.0.1:${server.address().port}/`);
});

after(async () => {
  await context?.close();
  server.close();
});

async function openPage(url) {
  const page = await context.context.newPage();
  page.on('console', (message) => faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error.stack)));
  await page.goto(url);
  return page;
}

// In a page: the result of a clip, with hashes in place of data. `where` is
// 'page' or 'worker'.
async function resultInPage([where, name, options]) {
  if (!globalThis[where]) {
    const { load, worker } = await import('/bvhmill.js');
    globalThis[where] = where === 'page' ? await load() : worker();
  }
  const response = await fetch(`/clips/${encodeURIComponent(name)}`);
  const source = where === 'page' ? await response.arrayBuffer() :
      await response.blob();
  const result = await globalThis[where].convert(source, options);
  for (const output of Object.values(result.outputs)) {
    if (output.data === null) continue;
    const hash = await crypto.subtle.digest('SHA-256', output.data);
    output.data = [...new Uint8Array(hash)]
        .map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  return result;
}

function resultInNode(file, options) {
  const result = engine.convert(readFileSync(file), options);
  for (const output of Object.values(result.outputs)) {
    if (output.data === null) continue;
    output.data = createHash('sha256').update(output.data).digest('hex');
  }
  return result;
}

describe('Chromium', { skip }, () => {
  for (const where of ['page', 'worker']) {
    test(`all clips in a ${where}`, async () => {
      // A worker unpacks them.
      const isPacked = (file) =>
        readFileSync(file).subarray(0, 2).toString('latin1') === '\x1f\x8b';
      const some = where === 'page' ? files :
        files.filter((file, i) => i % 5 === 0 && !isPacked(file));
      for (const file of some) {
        const options = {
          ...optionsFor(file), emit: EMIT, anim_accept_odd: true,
          measures: true,
        };
        const result =
            await page.evaluate(resultInPage, [where, basename(file), options]);
        assert.deepEqual(result, resultInNode(file, options), file);
      }
      assert.deepEqual(faults, []);
    });
  }

  test('sources and errors of the worker', async () => {
    const found = await page.evaluate(async ([name, large]) => {
      const { BvhmillError, worker } = await import('/bvhmill.js');
      const engine = worker();
      const response = await fetch(`/clips/${encodeURIComponent(name)}`);
      const blob = await response.blob();
      const gzip = new Response(
          blob.stream().pipeThrough(new CompressionStream('gzip')));
      const packed = await gzip.blob();
      const frames = [];
      for (const source of [
        blob, new File([blob], name), blob.stream(), packed, packed.stream(),
        await blob.arrayBuffer(),
      ]) {
        frames.push((await engine.validate(source)).info.frames);
      }
      const errors = [];
      for (const [source, options] of [
        [blob, { fsp: 30 }], [packed.slice(0, 500)], ['text'],
        [blob, { signal: AbortSignal.abort() }], [blob, { fps: () => 1 }],
      ]) {
        errors.push(await engine.validate(source, options).catch((error) =>
          error instanceof BvhmillError ? error.code : error.name));
      }
      const clip = await engine.open();
      await clip.add(new Blob([large]));
      errors.push(await clip.poses(0, clip.frames).catch(({ code }) => code));
      frames.push((await engine.validate(blob)).info.frames);
      await engine.terminate();
      errors.push(await engine.validate(blob).catch(({ code }) => code));
      return { frames, errors };
    }, [basename(files.find((name) => name.endsWith('walk_cycle.bvh'))),
        manyPoses().toString()]);
    assert.deepEqual(found.frames, [120, 120, 120, 120, 120, 120, 120]);
    assert.deepEqual(found.errors, [
      'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'TypeError', 'AbortError',
      'TypeError', 'RESOURCE_EXHAUSTED', 'CANCELLED',
    ]);
  });

  // As a bundler joins them.
  test('a page of one file, from file://', async () => {
    const read = (name) => readFileSync(join(here, name), 'utf8')
        .replace(/^(import|export) [^;]*;\n/gm, (all) =>
          /^export (async )?(function|class)/.test(all) ? all : '')
        .replace(/^export /gm, '');
    const script = ['engine.js', 'async_engine.js', 'inlined.js'].map(read)
        .join('\n').replaceAll('</script', '<\\/script');
    const html = join(folder, 'one.html');
    writeFileSync(html, '<!doctype html><script type="module">' + script +
        '\nwindow.load = load; window.worker = worker;</script>');
    const page = await openPage(pathToFileURL(html).href);
    const text = readFileSync(
        files.find((name) => name.endsWith('walk_cycle.bvh')), 'latin1');
    const frames = await page.evaluate(async (text) => {
      const blob = new Blob([text]);
      const engine = await window.load();
      const { info } = engine.validate(await blob.arrayBuffer());
      const threads = window.worker();
      return [info.frames, (await threads.validate(blob)).info.frames];
    }, text);
    assert.deepEqual(frames, [120, 120]);
    assert.deepEqual(faults, []);
  });
});
