// The built page in Debian's Chromium, served on this machine. Every page
// records what it must not do: requests to others, messages of the console,
// errors, dialogs.

import { createServer } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const PAGE = process.env.BVHMILL_PAGE ?? join(root, 'build/page');
const CHROMIUM = process.env.BVHMILL_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--disable-dev-shm-usage', '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];
const TYPES = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css',
  '.json': 'application/json', '.wasm': 'application/wasm',
};

if (!existsSync(join(PAGE, 'index.html'))) {
  throw new Error(`${PAGE} has no page: npm run build`);
}

// A browser with a fresh profile, and a server of the page.
export async function start() {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(
      new URL(request.url, 'http://localhost').pathname);
    const file = join(PAGE, path === '/' ? 'index.html' : path);
    if (!file.startsWith(PAGE) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const profile = mkdtempSync(join(tmpdir(), 'bvhmill-page-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM, headless: true, chromiumSandbox: false,
    args: FLAGS, acceptDownloads: true,
  });
  context.setDefaultTimeout(20_000);
  return {
    url,
    context,
    async close() {
      await context.close();
      server.close();
      server.closeAllConnections();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

// Opens the page. `options`: hash, width, height, scheme, motion, file (a file
// in place of the address), script (runs before those of the page).
export async function open(browser, options = {}) {
  const page = await browser.context.newPage();
  const address = options.file ? `file://${options.file}` : browser.url;
  const origin = options.file ? 'file://' : browser.url;
  page.faults = [];
  page.on('request', (request) => {
    const url = request.url();
    const isOwn = url.startsWith(origin) || url.startsWith('blob:') ||
      url.startsWith('data:');
    if (!isOwn) page.faults.push(`request of ${url}`);
  });
  page.on('console', (message) => {
    // Software drawing is slow to read pixels; it says so.
    if (!/GPU stall|swiftshader/i.test(message.text())) {
      page.faults.push(message.text());
    }
  });
  page.on('pageerror', (error) => page.faults.push(String(error.stack)));
  page.on('dialog', (dialog) => {
    page.faults.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.setViewportSize(
    { width: options.width ?? 1280, height: options.height ?? 800 });
  await page.emulateMedia({
    colorScheme: options.scheme ?? 'light',
    reducedMotion: options.motion ?? 'reduce',
  });
  if (options.script) await page.addInitScript(options.script);
  await page.goto(address + (options.hash ?? ''));
  await page.waitForSelector('html[data-ready][data-view]');
  return page;
}

// Drops files onto the page: { name: text or bytes }.
export async function drop(page, files) {
  const list = Object.entries(files).map(([name, data]) =>
    ({ name, base64: Buffer.from(data).toString('base64') }));
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of list) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    for (const type of ['dragenter', 'dragover', 'drop']) {
      dispatchEvent(new DragEvent(
        type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, list);
}

// Waits until the take is read, or refused.
export async function whenRead(page) {
  await page.waitForSelector(
    'html[data-state=done], html[data-state=failed]');
}
