// The package: types, what it ships, and its use from an empty folder.

import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import {
  PACKAGE, makeFolder, makeTakes, removeFolder, startServer,
} from './support.js';

const folder = makeFolder();
const tool = (name) => join(PACKAGE, 'node_modules', '.bin', name);
let tarball;

function run(program, args, cwd = PACKAGE) {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8' });
  } catch (error) {
    throw new Error(`${program}: ${error.stdout}${error.stderr}`);
  }
}

before(() => {
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  tarball = join(folder, readdirSync(folder).find((f) => f.endsWith('.tgz')));
});

after(() => removeFolder(folder));

test('types are as they should be', () => {
  run(tool('tsc'), ['--ignoreConfig', '--noEmit', '--strict', '--module',
    'nodenext', '--target', 'es2022', '--lib', 'es2023,esnext.disposable',
    '--types', 'node', 'test/types.ts']);
});

test('publint finds nothing', () => {
  assert.match(run(tool('publint'), ['--strict', tarball]), /All good!/);
});

test('the types resolve', () => {
  run(tool('attw'), [tarball, '--profile', 'esm-only']);
});

test('generated messages are not part of the public types', () => {
  const files = run('tar', ['-tzf', tarball]);
  assert.match(files, /package\/README\.md/);
  assert.doesNotMatch(files, /package\/(src|test)\//);
});

test('a program in an empty folder uses the tarball', async () => {
  const home = join(folder, 'home');
  mkdirSync(join(home, 'node_modules', '@bvhmill', 'client'),
    { recursive: true });
  run('tar', ['-xzf', tarball, '-C',
    join(home, 'node_modules', '@bvhmill', 'client'),
    '--strip-components', '1']);
  // Its dependencies, without the network.
  for (const name of ['@grpc', '@bufbuild', '@js-sdsl', '@protobufjs',
    'protobufjs', 'long', 'lodash.camelcase', 'yargs', 'cliui', 'escalade',
    'get-caller-file', 'require-directory', 'string-width', 'y18n',
    'yargs-parser']) {
    run('cp', ['-r', join(PACKAGE, 'node_modules', name),
      join(home, 'node_modules')]);
  }
  makeTakes(home);
  const server = await startServer();
  const body = `
    const mill = new Bvhmill('${server.address}');
    mill.read('walk_cycle.bvh').then((take) => {
      console.log(take.positions.shape.join());
      mill.close();
    });`;
  writeFileSync(join(home, 'a.mjs'),
    `import { Bvhmill } from '@bvhmill/client';${body}`);
  writeFileSync(join(home, 'b.cjs'),
    `const { Bvhmill } = require('@bvhmill/client');${body}`);
  for (const name of ['a.mjs', 'b.cjs']) {
    assert.strictEqual(run(process.execPath, ['--no-warnings', name], home),
      '120,26,3\n');
  }
  await server.stop();
});
