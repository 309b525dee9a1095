// The packed package in an empty folder: imports, require(), types, and what
// publint and attw say about it. NODE_PATH has the packages of
// tests/clients/wasm.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { optionTypes } from '../make_option_types.js';
import { makeSamples, temporaryFolder } from './clips.js';

const here = fileURLToPath(new URL('..', import.meta.url));
const tools = process.env.NODE_PATH;
const skip = tools ? false : 'NODE_PATH states no packages of npm';
const folder = temporaryFolder();
let tarball;

function run(command, args, cwd = folder) {
  const { status, stdout, stderr } =
      spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return stdout + stderr;
}

function runTool(name, ...args) {
  return run(process.execPath, [join(tools, '.bin', name), ...args]);
}

before(() => {
  makeSamples(folder);
  // It is made already: files of this folder do not change during the tests.
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination',
              folder], here);
  tarball = join(folder, readdirSync(folder).find((n) => n.endsWith('.tgz')));
  const installed = join(folder, 'node_modules/bvhmill');
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
});

const PROGRAM = `
  const engine = await load();
  const bytes = require('node:fs').readFileSync('walk_cycle.bvh');
  const threads = worker();
  const { info } = await threads.validate(bytes);
  await threads.terminate();
  console.log(engine.validate(bytes).info.frames, info.frames,
              new BvhmillError({ code: 'OK', message: 'x' }) instanceof Error);
`;

for (const entry of ['bvhmill', 'bvhmill/inlined']) {
  test(`import of ${entry}`, () => {
    const head = `
      import { createRequire } from 'node:module';
      import { BvhmillError, load, worker } from '${entry}';
      const require = createRequire(import.meta.url);`;
    writeFileSync(join(folder, 'program.mjs'), head + PROGRAM);
    assert.equal(run(process.execPath, ['program.mjs']), '120 120 true\n');
  });

  test(`require() of ${entry}`, () => {
    writeFileSync(join(folder, 'program.cjs'), `
      const { BvhmillError, load, worker } = require('${entry}');
      (async () => {${PROGRAM}})();`);
    assert.equal(run(process.execPath, ['program.cjs']), '120 120 true\n');
  });
}

test('the module is an entry, of at most 550 KiB with gzip', () => {
  const wasm = readFileSync(join(folder, 'node_modules/bvhmill/bvhmill.wasm'));
  assert.ok(WebAssembly.validate(wasm));
  const { length } = gzipSync(wasm, { level: 9 });
  assert.ok(length <= 550 * 1024, `${length} bytes with gzip`);
  run(process.execPath, ['-p', 'require.resolve("bvhmill/bvhmill.wasm")']);
});

test('types of options are fresh', () => {
  assert.equal(readFileSync(join(here, 'options.d.cts'), 'utf8'), optionTypes(),
               'node make_option_types.js > options.d.cts');
});

test('types', { skip }, () => {
  copyFileSync(join(here, 'test/types.ts'), join(folder, 'types.mts'));
  writeFileSync(join(folder, 'types.cts'), `
    import bvhmill = require('bvhmill');
    import { load } from 'bvhmill/inlined';
    const engine: Promise<bvhmill.Engine> = load();
  `);
  for (const module of ['nodenext', 'node16']) {
    runTool('tsc', '--noEmit', '--strict', '--module', module,
            '--target', 'es2022', 'types.mts', 'types.cts');
  }
  runTool('tsc', '--noEmit', '--strict', '--module', 'esnext',
          '--moduleResolution', 'bundler', '--target', 'es2022',
          'types.mts');
});

test('publint', { skip }, () => {
  runTool('publint', 'run', '--strict', tarball);
});

// The module has no types.
test('attw', { skip }, () => {
  runTool('attw', tarball, '--profile', 'node16',
          '--exclude-entrypoints', './bvhmill.wasm');
});
