// Builds build/page/index.html with its assets. single.js makes the single
// file from the same sources.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  base: './',
  resolve: { alias: { bvhmill: path('../node/engine.js') } },
  define: { SINGLE_FILE: false },
  build: {
    outDir: path('../../build/page'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  worker: { format: 'es' },
});
