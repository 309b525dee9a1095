// How fast a browser opens and sorts the page of a large folder.
//
//   ./dev bench page [--clips N] [--json [FILE]]
//
// The folder has N copies (5000) of the sample takes, each with its own issues,
// so that the page is one that bvhmill writes. Before it measures, it compares
// the rows of the page with the order that they must have. It fails if opening
// or sorting takes more than 5 s.
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { startBrowser, openPage } = require('../../tests/clients/page/browser');
const { clipText, write, writePage } =
  require('../../tests/clients/page/folders');

const LIMIT_MS = 5000;

function argOf(name, otherwise) {
  const at = process.argv.indexOf(name);
  if (at < 0) return otherwise;
  const value = process.argv[at + 1];
  return value === undefined || value.startsWith('--') ? '-' : value;
}

function fillLargeFolder(folder, clips) {
  const samples = path.join(folder, 'samples');
  execFileSync(path.join(process.env.BVHMILL_BIN, 'bvhmill_samples'),
    [samples]);
  const texts = fs.readdirSync(samples).filter((name) => name.endsWith('.bvh'))
    .map((name) => fs.readFileSync(path.join(samples, name)));
  // Clips of a few lengths, with values that are not numbers here and there.
  for (let i = 0; i < 40; ++i) {
    texts.push(clipText({ frames: 60 + 7 * i, change: (frame, values) => {
      if (i % 4 === 0 && frame === 3 * i) values[9] = 'nan';
      if (i % 9 === 0 && frame === 20) values[4] = 'x';
    } }));
  }
  for (let i = 0; i < clips; ++i) {
    write(folder, `set_${i % 50}/take_${i}.bvh`, texts[i % texts.length]);
  }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

// Milliseconds until the page has drawn what `act` changed.
function drawn(page, selector) {
  return page.evaluate(async (chosen) => {
    const start = performance.now();
    document.querySelector(chosen).click();
    await new Promise((done) =>
      requestAnimationFrame(() => setTimeout(done, 0)));
    return performance.now() - start;
  }, selector);
}

async function checkOrder(page, clips) {
  await page.click('th.frames button');
  await page.waitForFunction((count) =>
    document.querySelectorAll('tr.clip').length === count, clips);
  const frames = await page.$$eval('td.frames', (nodes) =>
    nodes.map((node) => Number(node.textContent.replaceAll(',', ''))));
  const isSorted = frames.every((value, i) =>
    i === 0 || !(value > frames[i - 1]));
  if (!isSorted) throw new Error('the rows are not sorted');
}

async function measure(browser, file, clips) {
  const first = await openPage(browser, file);
  await checkOrder(first, clips);
  await first.close();
  const figures = { open_ms: [], sort_ms: [], filter_ms: [] };
  for (let run = 0; run < 5; ++run) {
    const page = await openPage(browser, file);
    // The script is the last part of the file: the page can be used then.
    figures.open_ms.push(await page.evaluate(() =>
      performance.getEntriesByType('navigation')[0].domInteractive));
    await page.waitForFunction((count) =>
      document.querySelectorAll('tr.clip').length === count, clips);
    figures.sort_ms.push(await drawn(page, 'th.frames button'));
    figures.filter_ms.push(await drawn(page, '[data-level=warning]'));
    await page.close();
  }
  return Object.fromEntries(Object.entries(figures)
    .map(([name, values]) => [name, Math.round(median(values))]));
}

// As the other benchmarks do, so that bench/compare reads them.
function printFigures(figures) {
  const lines = Object.entries(figures)
    .map(([name, value]) => `"page.${name}": ${value}`);
  const text = `{"metrics": {\n${lines.join(',\n')}\n}}\n`;
  console.error(lines.join('\n').replaceAll('"', ''));
  const out = argOf('--json', '');
  if (out === '-') process.stdout.write(text);
  else if (out) fs.writeFileSync(out, text);
}

async function main() {
  const clips = Number(argOf('--clips', 5000));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bvhmill-bench-'));
  try {
    fillLargeFolder(folder, clips);
    const start = performance.now();
    const file = writePage(folder);
    const write_ms = Math.round(performance.now() - start);
    const browser = await startBrowser();
    const figures = { clips, bytes: fs.statSync(file).size, write_ms,
      ...await measure(browser, file, clips) };
    await browser.close();
    printFigures(figures);
    const worst = Math.max(figures.open_ms, figures.sort_ms);
    if (!(worst <= LIMIT_MS)) throw new Error(`${worst} ms is too slow`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
