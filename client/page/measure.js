// Measures the built page: the time from a choice to the first pose, and the
// longest task of the page while a large take is read.
//
//   node measure.js [MB of the large take, 50]

import { drop, open, start } from './test/browser.js';
import { walk } from './test/takes.js';

const size = Number(process.argv[2] ?? 50);
const browser = await start();
const page = await open(browser, { motion: 'no-preference' });

// A take of about this many bytes: the rows of the walk again and again.
async function openTake(bytes) {
  await page.evaluate(({ walk, bytes }) => {
    const [head, rows] = walk.split(/(?<=Frame Time:.*\n)/);
    const times = Math.max(1, Math.round(bytes / rows.length));
    const all = [head.replace(/Frames:.*/, `Frames: ${120 * times}`),
      ...Array.from({ length: times }, () => rows)];
    window.transfer = new DataTransfer();
    window.transfer.items.add(new File(all, `take_${bytes}.bvh`));
  }, { walk, bytes });
  await page.waitForTimeout(700);
  await page.evaluate(() => {
    performance.clearMarks();
    window.longest = 0;
    dispatchEvent(new DragEvent('drop', { dataTransfer: window.transfer }));
  });
  await page.waitForFunction(() => ['first-pose', 'all-read'].every(
    (name) => performance.getEntriesByName(name).length > 0),
  null, { timeout: 300_000 });
  return page.evaluate(() => {
    const at = (name) => performance.getEntriesByName(name)[0].startTime;
    return { first: at('first-pose') - at('chosen'),
             all: at('all-read') - at('chosen'), longest: window.longest };
  });
}

await drop(page, { 'walk.bvh': walk });
await page.waitForSelector('html[data-state=done]');
await page.evaluate(() => {
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      window.longest = Math.max(window.longest, duration);
    }
  }).observe({ type: 'longtask' });
});
const runs = [];
for (let i = 0; i < 9; ++i) runs.push((await openTake(1e6)).first);
runs.sort((a, b) => a - b);
console.log(`1 MB: first pose after ${runs[4].toFixed(0)} ms ` +
  `(median of 9; ${runs[0].toFixed(0)} to ${runs[8].toFixed(0)})`);
const { first, all, longest } = await openTake(size * 1e6);
console.log(`${size} MB: first pose after ${first.toFixed(0)} ms, all after ` +
  `${all.toFixed(0)} ms, longest task ${longest.toFixed(0)} ms`);
const frames = await page.evaluate(() => new Promise((resolve) => {
  let n = 0;
  const begin = performance.now();
  const tick = () => {
    if (++n === 60) resolve(1000 * n / (performance.now() - begin));
    else requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}));
console.log(`${frames.toFixed(0)} frames per second while it plays, ` +
  `${await page.evaluate(() => document.documentElement.dataset.calls)} calls`);
await browser.close();
