// Fails if the page is larger than its budget, in KB after gzip.

import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const assets = fileURLToPath(
  new URL('../../build/page/assets/', import.meta.url));
const sizes = readdirSync(assets).map((name) =>
  ({ name, kb: gzipSync(readFileSync(assets + name)).length / 1000 }));
const sum = (wanted) => sizes.filter(({ name }) => wanted.test(name))
  .reduce((total, { kb }) => total + kb, 0);

let isOver = false;
for (const [what, wanted, most] of [
  ['JavaScript', /\.js$/, 210],
  ['shell', /^index-.*\.js$/, 30],
  ['CSS', /\.css$/, 12],
]) {
  const kb = sum(wanted);
  if (kb === 0 || kb > most) isOver = true;
  console.log(`${what}: ${kb.toFixed(1)} KB of ${most} KB`);
}
process.exitCode = isOver ? 1 : 0;
