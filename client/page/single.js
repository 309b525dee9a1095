// Makes build/page/bvhmill.html: the page as one file that needs no server.
// Its script and its style are allowed by their hashes. The worker and the
// module, packed by gzip, are text in elements of the document.
// src/gallery.ts describes how takes are embedded.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));
const page = join(folder, '../../build/page');

// One script without imports, and its style.
async function bundle(entry) {
  const [{ output }] = [await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { bvhmill: join(folder, '../node/engine.js') } },
    define: { SINGLE_FILE: 'true', 'import.meta': '{}' },
    build: {
      write: false, target: 'es2022', cssCodeSplit: false,
      rollupOptions: {
        input: join(folder, 'src', entry),
        output: { format: 'iife', codeSplitting: false },
      },
    },
  })].flat();
  const text = (ending) => output
    .filter(({ fileName }) => fileName.endsWith(ending))
    .map((file) => file.code ?? String(file.source)).join('\n');
  // A script must not contain the end of its element.
  return { script: text('.js').replace(/<\/script/gi, '<\\/script'),
           style: text('.css') };
}

function hash(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const main = await bundle('main.ts');
const worker = await bundle('worker.ts');
const module = gzipSync(readFileSync(join(page, 'bvhmill.wasm')), { level: 9 });
const policy = `default-src 'none'; script-src ${hash(main.script)} ` +
  `'wasm-unsafe-eval'; worker-src blob:; style-src ${hash(main.style)}; ` +
  `img-src data:; base-uri 'none'; form-action 'none'`;

const html = readFileSync(join(folder, 'index.html'), 'utf8')
  .replace(/(Content-Security-Policy" content=")[^"]*/,
           (_, begin) => begin + policy)
  .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${main.style}</style>`)
  .replace(/<script type="module"[^>]*><\/script>/, () =>
    `<script type="text/plain" id="bvhmill-worker">` +
    `${worker.script}</script>\n` +
    `<script type="text/plain" id="bvhmill-module">` +
    `${module.toString('base64')}</script>\n` +
    `<script>${main.script}</script>`);
if (html.split('</body>').length !== 2) {
  throw new Error('takes are inserted before </body>, which must stand once');
}
writeFileSync(join(page, 'bvhmill.html'), html);
console.log(`bvhmill.html ${(html.length / 1e6).toFixed(2)} MB`);
