// Makes the pictures of the page in docs/pictures from the built page: the page
// at three sizes, and a short animation.
//
//   npm run pictures

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import gifenc from 'gifenc';
import { PNG } from 'pngjs';

import { drop, open, start, whenRead } from './test/browser.js';
import { spike } from './test/takes.js';

const { GIFEncoder, applyPalette, quantize } = gifenc;
const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const SIZES = [
  { name: 'page-wide', width: 1280, height: 800 },
  { name: 'page-dark', width: 1280, height: 800, scheme: 'dark' },
  { name: 'page-phone', width: 360, height: 740 },
];
const STEP = 5;
const FRAMES = 24;

// The take with its first issue opened.
async function openIssue(browser, options) {
  const page = await open(browser, options);
  await drop(page, { 'walk.bvh': spike });
  await whenRead(page);
  await page.keyboard.press('n');
  await page.waitForTimeout(1000);
  return page;
}

async function still(browser, { name, ...options }) {
  const page = await openIssue(browser, options);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

// The walk from its first frame to its last, in steps.
async function animation(browser) {
  const page = await openIssue(browser, { width: 1000, height: 560 });
  await page.keyboard.press('Home');
  // The stage and the timeline, without the panel beside them.
  const clip = await page.evaluate(() => {
    const stage = document.getElementById('stage').getBoundingClientRect();
    const { bottom } =
      document.getElementById('transport').getBoundingClientRect();
    return { x: stage.x, y: stage.y, width: stage.width,
             height: bottom - stage.y };
  });
  const gif = GIFEncoder();
  for (let i = 0; i < FRAMES; ++i) {
    await page.waitForTimeout(120);
    const { data, width, height } =
      PNG.sync.read(await page.screenshot({ clip }));
    const palette = quantize(data, 32);
    gif.writeFrame(applyPalette(data, palette), width, height,
                   { palette, delay: 1000 * STEP / 60 });
    for (let k = 0; k < STEP; ++k) await page.keyboard.press('ArrowRight');
  }
  gif.finish();
  writeFileSync(join(folder, 'page-walk.gif'), gif.bytes());
  await page.close();
}

const browser = await start();
for (const size of SIZES) await still(browser, size);
await animation(browser);
await browser.close();
