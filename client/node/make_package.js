// Completes this folder for npm: copies the module and the licence, and makes
// inlined.js of inlined.in.js.
//
//   node make_package.js [MODULE]

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const here = (name) => new URL(name, import.meta.url);
const read = (name) => readFileSync(here(name), 'utf8');

const wasm = process.argv[2] ?? process.env.BVHMILL_WASM ??
    here('../../build/wasm/bvhmill.wasm');
copyFileSync(wasm, here('bvhmill.wasm'));
copyFileSync(here('../../LICENSE'), here('LICENSE'));

const module = gzipSync(readFileSync(wasm), { level: 9 }).toString('base64');
// Both files in one scope.
const thread = [read('engine.js'), read('thread.js')].join('')
    .replace(/^import .*;\n/gm, '').replace(/^export /gm, '');
writeFileSync(here('inlined.js'), read('inlined.in.js')
    .replace("'@MODULE@'", () => `'${module}'`)
    .replace("'@THREAD@'", () => JSON.stringify(thread)));
