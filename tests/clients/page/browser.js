// Debian's Chromium for tests of the page. Every page records what it must not
// do: requests of the network, messages of the console, errors, dialogs.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { chromium } = require('playwright-core');

const CHROMIUM = process.env.BVHMILL_CHROMIUM || '/usr/bin/chromium';
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
  '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
  '--disable-dev-shm-usage',
];

// A browser with a fresh profile. close() ends it and removes the profile.
async function startBrowser() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'bvhmill-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM, headless: true, chromiumSandbox: false,
    viewport: { width: 1280, height: 900 }, args: FLAGS,
  });
  context.setDefaultTimeout(30_000);
  return {
    context,
    async close() {
      await context.close();
      fs.rmSync(profile, { recursive: true, force: true });
    },
  };
}

// Opens the file `file` with `hash` after its address, and waits until its
// script has run. `page.faults` are the things that it must not do.
async function openPage(browser, file, hash = '', options = {}) {
  const page = await browser.context.newPage();
  page.faults = [];
  page.on('request', (request) => {
    const isItself = request.isNavigationRequest() &&
      request.url().startsWith('file:');
    if (!isItself) page.faults.push(`request of ${request.url()}`);
  });
  page.on('console', (message) => page.faults.push(message.text()));
  page.on('pageerror', (error) => page.faults.push(String(error.stack)));
  page.on('dialog', (dialog) => {
    page.faults.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.setViewportSize(
    { width: options.width || 1280, height: options.height || 900 });
  await page.emulateMedia(
    { colorScheme: options.scheme || 'light', reducedMotion: 'reduce' });
  await page.goto(pathToFileURL(file).href + hash);
  await page.waitForSelector('html[data-ready]');
  return page;
}

module.exports = { startBrowser, openPage };
