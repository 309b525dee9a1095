// Copies the files that the page loads: the module, and the takes of the
// gallery from BVHMILL_TAKES, or else from build/demo/takes.

import {
  copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = join(root, 'build/page');
const wasm = process.env.BVHMILL_WASM ?? join(root, 'build/wasm/bvhmill.wasm');
const takes = process.env.BVHMILL_TAKES ?? join(root, 'build/demo/takes');

copyFileSync(wasm, join(page, 'bvhmill.wasm'));
const names = existsSync(takes)
  ? readdirSync(takes).filter((name) => /\.(bvh|anim)(\.gz)?$/.test(name))
    .sort()
  : [];
if (names.length === 0) {
  console.warn(`no gallery: ${takes} has no takes (set BVHMILL_TAKES)`);
}
mkdirSync(join(page, 'takes'), { recursive: true });
for (const name of names) {
  copyFileSync(join(takes, name), join(page, 'takes', name));
}
writeFileSync(join(page, 'takes/index.json'), JSON.stringify(names));
