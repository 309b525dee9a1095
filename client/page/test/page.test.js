// The built page in a browser: npm run build, with BVHMILL_TAKES, comes before.

import assert from 'node:assert/strict';
import {
  mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { load } from '../../node/bvhmill.js';
import { drop, open, PAGE, start, whenRead } from './browser.js';
import {
  HOSTILE, hostile, manyIssues, shortRow, spike, walk,
} from './takes.js';

const axe = readFileSync(fileURLToPath(
  new URL('../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');

let browser;
before(async () => {
  browser = await start();
});
after(() => browser?.close());

// A test with a page of its own, which must do nothing that it must not do.
function pageTest(name, options, run) {
  test(name, async () => {
    const page = await open(browser, options);
    try {
      await run(page);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.close();
    }
  });
}

async function openTake(page, files) {
  await drop(page, files);
  await whenRead(page);
}

// Waits until the frame is shown.
async function whenFrame(page, ...frames) {
  await page.waitForFunction((frames) => frames.includes(Number(document
    .querySelector('bvh-timeline').getAttribute('aria-valuenow'))), frames);
}

async function assertAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
}

const noWebGl = () => {
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function(kind, ...rest) {
    return /webgl/.test(kind) ? null : getContext.call(this, kind, ...rest);
  };
};

describe('one take', () => {
  pageTest('is drawn in 3 draw calls', {}, async (page) => {
    await openTake(page, { 'walk.bvh': walk });
    await page.waitForSelector('html[data-calls="3"]');
    await page.getByText('120 frames').first().waitFor();
    assert.equal(await page.title(), 'walk.bvh - bvhmill');
    const marks = await page.evaluate(() =>
      performance.getEntriesByType('mark').map(({ name }) => name));
    for (const mark of ['chosen', 'first-pose', 'all-read']) {
      assert.ok(marks.includes(mark), mark);
    }
  });

  pageTest('plays, and not with reduced motion', { motion: 'no-preference' },
    async (page) => {
      await openTake(page, { 'walk.bvh': walk });
      await page.waitForFunction(() => Number(document
        .querySelector('bvh-timeline').getAttribute('aria-valuenow')) > 3);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await openTake(page, { 'walk2.bvh': walk });
      await page.getByRole('heading', { name: 'walk2.bvh' }).waitFor();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await whenFrame(page, 0);
    });

  pageTest('is scrubbed by pointer and keys', {}, async (page) => {
    await openTake(page, { 'walk.bvh': walk });
    const slider = page.getByRole('slider', { name: 'Time' });
    const box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 6);
    await whenFrame(page, 59, 60);
    for (const [key, expected] of [
      ['Home', 0], ['Shift+ArrowRight', 10], ['.', 11], ['ArrowLeft', 10],
      ['End', 119],
    ]) {
      await page.keyboard.press(key);
      await whenFrame(page, expected);
    }
    assert.equal(await slider.getAttribute('aria-valuetext'),
      'frame 119 of 119, 1.98 s');
  });

  pageTest('is also read as .gz and as .anim', {}, async (page) => {
    await openTake(page, { 'walk.bvh.gz': gzipSync(walk) });
    await page.getByText('120 frames').first().waitFor();
    const engine = await load(readFileSync(join(PAGE, 'bvhmill.wasm')));
    const { outputs } =
      engine.convert(new TextEncoder().encode(walk), { emit: ['anim'] });
    await openTake(page, { 'walk.anim': outputs.anim.data });
    await page.getByRole('tab', { name: 'Joints' }).click();
    await page.getByRole('button', { name: 'mPelvis' }).waitFor();
  });

  pageTest('has curves of the joints that are picked', {}, async (page) => {
    await openTake(page, { 'walk.bvh': walk });
    await page.getByRole('tab', { name: 'Joints' }).click();
    await page.getByRole('button', { name: 'LeftHand', exact: true }).click();
    await page.locator('.chart canvas').waitFor();
    await page.locator('.legend', { hasText: 'LeftHand' }).waitFor();
    await page.getByLabel('Curve').selectOption('speed');
    await page.getByRole('button', { name: 'Head', exact: true }).click();
    await page.locator('.legend', { hasText: /Head.*LeftHand/ }).waitFor();
  });

  pageTest('takes the unit and the up axis by one click', {}, async (page) => {
    await openTake(page, { 'walk.bvh': walk });
    await page.getByRole('button', { name: 'Looks like centimeters: use' })
      .click();
    assert.equal(await page.getByLabel('Unit').inputValue(), 'cm');
    await page.getByLabel('Up', { exact: true }).selectOption('z');
    await page.getByRole('tab', { name: 'Export' }).click();
    const command = await page.locator('.command').textContent();
    assert.equal(command, 'bvhmill convert walk.bvh -o out --emit npz ' +
      '--units cm --up z');
  });
});

describe('issues', () => {
  pageTest('seek, and make their joint red', {}, async (page) => {
    await openTake(page, { 'spike.bvh': spike });
    await page.locator('[data-issue]', { hasText: 'LeftForeArm' }).click();
    await whenFrame(page, 40);
    await page.locator('.joint-label.fault', { hasText: 'LeftForeArm' })
      .waitFor();
    await page.getByText('A marker was lost or swapped').waitFor();
  });

  pageTest('of text show its line', {}, async (page) => {
    await openTake(page, { 'short.bvh': shortRow });
    await page.getByText('Invalid', { exact: false }).first().waitFor();
    await page.locator('[data-issue="0"]').click();
    await page.locator('.details pre mark').waitFor();
    assert.equal(await page.locator('.details pre mark').textContent(),
      ' end of line');
    // The frames before the error are there.
    await whenFrame(page, 89);
    await page.locator('.joint-label.fault', { hasText: 'RightFoot' })
      .waitFor();
  });

  pageTest('are visited by keys', {}, async (page) => {
    await openTake(page, { 'spike.bvh': spike });
    await page.keyboard.press('n');
    await whenFrame(page, 40);
    assert.equal(await page.locator('tr.chosen').count(), 1);
  });

  pageTest('are at most 200 in the document', {}, async (page) => {
    await openTake(page, { 'many.bvh': manyIssues(320) });
    await page.getByRole('button', { name: /^Show \d+ more$/ }).waitFor();
    assert.equal(await page.locator('[data-issue]').count(), 200);
    await page.getByRole('button', { name: /^Show \d+ more$/ }).click();
    assert.ok(await page.locator('[data-issue]').count() > 300);
  });
});

describe('files that are no clips end with a text', () => {
  const packed = gzipSync(walk);
  for (const [name, data, text] of [
    ['notes.txt', 'Dear diary', /'Dear' has no meaning here/],
    ['empty.bvh', '', /the file is empty/],
    ['cut.bvh', walk.slice(0, 300), /cannot be shown/],
    ['image.bvh', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
      /cannot be shown/],
    ['cut.bvh.gz', packed.subarray(0, packed.length / 2), /is damaged/],
  ]) {
    pageTest(name, {}, async (page) => {
      await openTake(page, { [name]: data });
      const notice = page.getByRole('alert');
      await notice.waitFor();
      assert.match(await notice.textContent(), text);
      assert.ok(!await page.evaluate(() =>
        document.documentElement.classList.contains('reading')));
    });
  }
});

pageTest('a file of more than 2 GB is refused at once', {}, async (page) => {
  await page.evaluate(() => {
    const part = new Blob(['x'.repeat(1 << 24)]);
    const transfer = new DataTransfer();
    transfer.items.add(new File(Array.from({ length: 129 }, () => part),
      'huge.bvh'));
    dispatchEvent(new DragEvent('drop', { dataTransfer: transfer }));
  });
  const notice = page.getByRole('alert');
  await notice.waitFor();
  assert.match(await notice.textContent(), /more than 2 GB/);
});

pageTest('hostile names are only text', {}, async (page) => {
  const name = '<img src=x onerror=alert(3)>.bvh';
  await openTake(page, { [name]: hostile });
  await page.locator('[data-issue]', { hasText: HOSTILE }).click();
  await page.locator('.joint-label.fault', { hasText: HOSTILE }).waitFor();
  for (const tab of ['Joints', 'Compare', 'Export']) {
    await page.getByRole('tab', { name: tab }).click();
  }
  await page.getByRole('button', { name: 'bvhmill' }).click();
  await drop(page, { [name]: hostile, '</table><script>.bvh': walk });
  await page.getByRole('button', { name }).first().waitFor();
  const script = 'img, #overview script, [style*="display:none"]';
  assert.equal(await page.locator(script).count(), 0);
});

describe('many takes', () => {
  pageTest('are listed, two read at once', {}, async (page) => {
    let running = 0;
    let most = 0;
    await page.waitForFunction(() => performance.now() > 1500);
    page.on('worker', (worker) => {
      most = Math.max(most, ++running);
      worker.on('close', () => --running);
    });
    const files = {};
    for (let i = 0; i < 100; ++i) files[`take_${i}.bvh`] = walk;
    files['take_50.bvh'] = shortRow;
    await drop(page, files);
    await page.getByRole('heading', { name: /^100 takes 99 valid, 1 invalid$/ })
      .waitFor({ timeout: 60_000 });
    assert.ok(most <= 3, `${most} workers`);
    assert.equal(await page.locator('.takes tbody tr').count(), 100);
    assert.equal(await page.locator('.takes .still canvas').count(), 100);
    await page.getByRole('button', { name: 'take_50.bvh' }).click();
    await whenRead(page);
    await page.locator('[data-issue="0"]').waitFor();
  });

  pageTest('come from a folder', {}, async (page) => {
    const folder = mkdtempSync(join(tmpdir(), 'bvhmill-folder-'));
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    writeFileSync(join(folder, 'a.bvh'), walk);
    writeFileSync(join(folder, 'deep/er/b.bvh'), spike);
    writeFileSync(join(folder, 'deep/notes.txt'), 'no clip');
    await page.locator('#folder').setInputFiles(folder);
    await page.getByRole('heading', { name: /^2 takes 1 valid, 1 accepted$/ })
      .waitFor();
    await page.getByRole('button', { name: /deep\/er\/b\.bvh$/ }).waitFor();
    rmSync(folder, { recursive: true });
  });
});

describe('beside the take', () => {
  pageTest('is its .anim', {}, async (page) => {
    await openTake(page, { 'walk.bvh': walk });
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByLabel('Beside').selectOption('anim');
    await page.locator('.distances').waitFor();
    await page.waitForSelector('html[data-calls="6"]');
    await page.locator('.distances .link').first().click();
    await page.locator('.chart canvas').waitFor();
    assert.equal(await page.getByLabel('Curve').inputValue(), 'distance');
  });

  pageTest('is its repair, which differs at the fault', {}, async (page) => {
    await openTake(page, { 'spike.bvh': spike });
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByLabel('Beside').selectOption('repair');
    await page.locator('.distances').waitFor();
    await page.locator('.distances .link').first().click();
    await whenFrame(page, 40);
    const cells = await page.locator('.distances tbody tr').allTextContents();
    assert.match(cells[0], /^LeftHand/);
    assert.ok(cells.some((row) => /^Hips0 0 $/.test(row)), cells.at(-1));
  });

  pageTest('is another take', {}, async (page) => {
    await openTake(page, { 'a.bvh': walk });
    await openTake(page, { 'b.bvh': spike });
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByLabel('Beside').selectOption('take:a.bvh');
    await page.locator('.distances').waitFor();
  });
});

test('downloads are those of the engine', async () => {
  const page = await open(browser);
  const engine = await load(readFileSync(join(PAGE, 'bvhmill.wasm')));
  const { outputs } = engine.convert(
    new TextEncoder().encode(walk), { emit: ['bvh', 'positions'], fps: 30 });
  await openTake(page, { 'walk.bvh': walk });
  await page.getByRole('tab', { name: 'Export' }).click();
  await page.getByLabel(/^npz/).uncheck();
  await page.getByLabel(/^bvh/).check();
  await page.getByLabel(/^positions/).check();
  await page.getByLabel('Frames per second').fill('30');
  await page.getByLabel('Frames per second').press('Tab');
  assert.equal(await page.locator('.command').textContent(),
    'bvhmill convert walk.bvh -o out --emit positions,bvh --fps 30');
  const saved = new Map();
  page.on('download', async (download) => {
    saved.set(download.suggestedFilename(),
      readFileSync(await download.path()));
  });
  await page.getByRole('button', { name: 'Download' }).click();
  for (let i = 0; saved.size < 2 && i < 200; ++i) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual([...saved.keys()].sort(),
    ['walk.bvh', 'walk.positions.npy']);
  assert.ok(saved.get('walk.bvh').equals(Buffer.from(outputs.bvh.data)));
  const npy = saved.get('walk.positions.npy');
  const begin = 10 + npy.readUInt16LE(8);
  assert.equal(begin % 64, 0);
  assert.match(npy.subarray(10, begin).toString(), /'shape': \(60, 26, 3\)/);
  const { data } = outputs.positions;
  assert.ok(npy.subarray(begin).equals(
    Buffer.from(data.buffer, data.byteOffset, data.byteLength)));
  await page.close();
});

describe('links', () => {
  pageTest('open a take of the gallery at a frame', {
    hash: '#take=walk_cycle.bvh&frame=30&joint=Head&up=y&compare=anim',
  }, async (page) => {
    await whenRead(page);
    await whenFrame(page, 30);
    assert.equal(await page.getByLabel('Up', { exact: true }).inputValue(),
      'y');
    await page.locator('.legend', { hasText: 'Head' }).waitFor();
    await page.waitForSelector('html[data-calls="6"]');
  });

  pageTest('wait for a file of their name, and are written', {
    hash: '#take=spike.bvh&issue=DATA_SPIKE',
  }, async (page) => {
    await openTake(page, { 'spike.bvh': spike });
    await page.locator('tr.chosen').waitFor();
    await whenFrame(page, 40);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() =>
      location.hash === '#take=spike.bvh&frame=41&issue=DATA_SPIKE');
  });
});

describe('accessibility', () => {
  for (const [name, options] of [
    ['light', {}], ['dark', { scheme: 'dark' }],
    ['360 px', { width: 360, height: 740 }],
  ]) {
    pageTest(`of the take in ${name}`, options, async (page) => {
      await openTake(page, { 'spike.bvh': spike });
      await page.locator('[data-issue="0"]').click();
      await assertAccessible(page);
      for (const tab of ['Joints', 'Compare', 'Export']) {
        await page.getByRole('tab', { name: tab }).click();
        await assertAccessible(page);
      }
    });
    pageTest(`of the start in ${name}`, options, async (page) => {
      await page.getByRole('heading', { name: 'Try one of these' }).waitFor();
      await drop(page, { 'a.bvh': walk, 'b.bvh': shortRow });
      await page.getByRole('heading', { name: /^2 takes 1 valid, 1 invalid/ })
        .waitFor();
      await assertAccessible(page);
    });
  }

  pageTest('the phone is not wider than its screen', {
    width: 360, height: 740,
  }, async (page) => {
    await openTake(page, { 'spike.bvh': spike });
    await page.locator('[data-issue="0"]').click();
    assert.equal(await page.evaluate(() =>
      document.documentElement.scrollWidth), 360);
  });

  pageTest('keys are listed, and Escape closes', {}, async (page) => {
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
  });
});

describe('without WebGL', () => {
  test('the view is drawn in 2D', async () => {
    const page = await open(browser, { script: noWebGl });
    await openTake(page, { 'spike.bvh': spike });
    assert.equal(await page.evaluate(() =>
      document.documentElement.dataset.view), '2d');
    await page.locator('[data-issue]', { hasText: 'LeftForeArm' }).click();
    await page.waitForFunction(() => {
      const canvas = document.querySelector('#stage canvas');
      const { data } = canvas.getContext('2d')
        .getImageData(0, 0, canvas.width, canvas.height);
      let red = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (data[i] > 150 && data[i + 1] < 70 && data[i + 2] < 70) ++red;
      }
      return red > 50;
    });
    await page.close();
  });

  test('a lost context is replaced', async () => {
    const page = await open(browser);
    await openTake(page, { 'walk.bvh': walk });
    await page.waitForSelector('html[data-calls="3"]');
    await page.evaluate(() => document.querySelector('#stage canvas')
      .getContext('webgl2').getExtension('WEBGL_lose_context').loseContext());
    await page.waitForSelector('html[data-view="2d"]');
    await page.close();
  });
});

describe('the single file', () => {
  const file = join(PAGE, 'bvhmill.html');
  pageTest('works from file://', { file }, async (page) => {
    await openTake(page, { 'spike.bvh': spike });
    await page.locator('[data-issue]', { hasText: 'LeftForeArm' }).click();
    await whenFrame(page, 40);
    await page.waitForSelector('html[data-view="webgl"]');
  });

  test('opens the takes that are embedded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bvhmill-single-'));
    const takes = [{ name: 'in </script>.bvh',
      gzip: gzipSync(spike).toString('base64') }];
    const element = '<script type="application/json" id="bvhmill-takes">' +
      `${JSON.stringify(takes).replaceAll('<', '\\u003c')}</script>`;
    const own = join(folder, 'takes.html');
    writeFileSync(own, readFileSync(file, 'utf8')
      .replace('</body>', () => `${element}</body>`));
    const page = await open(browser, { file: own });
    await whenRead(page);
    await page.getByRole('heading', { name: 'in </script>.bvh' }).waitFor();
    assert.deepEqual(page.faults, []);
    await page.close();
    rmSync(folder, { recursive: true });
  });
});

pageTest('no script runs that is not of the page', {}, async (page) => {
  const blocked = await page.evaluate(() => new Promise((resolve) => {
    addEventListener('securitypolicyviolation',
      (event) => resolve(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.head.append(script);
  }));
  assert.equal(blocked, 'script-src-elem');
  assert.equal(await page.evaluate(() => window.ran), undefined);
  page.faults.length = 0;
});
