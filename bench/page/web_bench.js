// Measures the built page of client/page: the time from a choice to the first
// pose, and the longest task of the page while a large take is read.
//
//   ./dev bench web [--json [FILE]] [--size MB]

import { writeFileSync } from 'node:fs';
import { drop, open, start } from '../../client/page/test/browser.js';
import { walk } from '../../client/page/test/takes.js';

function argOf(name, otherwise) {
  const at = process.argv.indexOf(name);
  if (at < 0) return otherwise;
  const value = process.argv[at + 1];
  return value === undefined || value.startsWith('--') ? '-' : value;
}

const size = Number(argOf('--size', 50));
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
const { first, all, longest } = await openTake(size * 1e6);
const frames = await page.evaluate(() => new Promise((resolve) => {
  let n = 0;
  const begin = performance.now();
  const tick = () => {
    if (++n === 60) resolve(1000 * n / (performance.now() - begin));
    else requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}));
const calls = await page.evaluate(() => document.documentElement.dataset.calls);
await browser.close();

const rounded = (value) => Math.round(value * 10) / 10;
// As the other benchmarks do: the median with its quartiles, or one value.
const metrics = {
  first_pose_1mb_ms: [runs[4], runs[2], runs[6]].map(rounded),
  large_mb: size,
  first_pose_large_ms: rounded(first),
  all_read_large_ms: rounded(all),
  longest_task_ms: rounded(longest),
  frames_per_second: rounded(frames),
  draw_calls: Number(calls),
};
const lines = Object.entries(metrics)
  .map(([name, value]) => `"web.${name}": ${JSON.stringify(value)}`);
const text = `{"metrics": {\n${lines.join(',\n')}\n}}\n`;
console.error(lines.join('\n').replaceAll('"', ''));
const out = argOf('--json', '');
if (out === '-') process.stdout.write(text);
else if (out) writeFileSync(out, text);
