// The vector code of the module does what the scalar code does: feeds the fuzz
// targets of tests/fuzz, which trap where both differ.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const build = process.env.BVHMILL_WASM_DIR ?? join(root, 'build/wasm');
const rounds = Number(process.env.BVHMILL_ROUNDS ?? 20_000);

async function target(name) {
  const module = await WebAssembly.compile(
      readFileSync(join(build, `${name}.wasm`)));
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = () => 0;
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  exports._initialize();
  const at = exports.malloc(1 << 16);
  return (bytes) => {
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    exports.LLVMFuzzerTestOneInput(at, bytes.length);
  };
}

// Numbers of mulberry32, below `n`.
let state = 1;
function random(n) {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}

function pick(list) {
  return list[random(list.length)];
}

function digits(most) {
  let text = '';
  for (let i = random(most + 1); i > 0; --i) text += random(10);
  return text;
}

// A number: mostly plain, at times with many digits, an exponent or a fault.
function number() {
  const long = random(8) === 0;
  let text = pick(['', '', '-', '-', random(20) === 0 ? '+' : '']);
  text += digits(long ? 18 : 4);
  if (random(8) > 0) text += '.' + digits(long ? 25 : 7);
  if (random(30) === 0) {
    text += pick(['e', 'E']) + pick(['', '-', '+']) + digits(3);
  }
  return text;
}

function rows() {
  const width = 1 + random(16);
  let text = '';
  for (let row = random(60); row > 0; --row) {
    for (let i = 0; i < width; ++i) {
      text += number() + pick([' ', ' ', '  ', '\t']);
    }
    text += pick(['\n', '\n', '\n', '\r\n', '\r', '\n\n']);
  }
  const bytes = Array.from(Buffer.from(text));
  if (random(4) === 0 && bytes.length > 0) {
    bytes[random(bytes.length)] = random(256);
  }
  return Uint8Array.from([...bytes, width - 1, random(256)]);
}

test('rows of text', async () => {
  const run = await target('rows_twin');
  for (let i = 0; i < rounds; ++i) run(rows());
});

test('numbers', async () => {
  const run = await target('number_twin');
  for (let i = 0; i < rounds; ++i) run(Buffer.from(number()));
});
