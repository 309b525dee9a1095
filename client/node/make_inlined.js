// Copies bvhmill.wasm into this folder, and makes inlined.js of inlined.in.js:
//
//   node make_inlined.js [MODULE]

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const here = (name) => new URL(name, import.meta.url);
const read = (name) => readFileSync(here(name), 'utf8');

const wasm = process.argv[2] ?? here('../../build/wasm/bvhmill.wasm');
copyFileSync(wasm, here('bvhmill.wasm'));

const module = gzipSync(readFileSync(wasm), { level: 9 }).toString('base64');
// Both files in one scope.
const thread = [read('engine.js'), read('thread.js')].join('')
    .replace(/^import .*;\n/gm, '').replace(/^export /gm, '');
writeFileSync(here('inlined.js'), read('inlined.in.js')
    .replace("'@MODULE@'", () => `'${module}'`)
    .replace("'@THREAD@'", () => JSON.stringify(thread)));
