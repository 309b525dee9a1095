// What the page says about issues and clips that it does not show.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { withPage } = require('./fixture');
const { clipText, validate, write, writePage } = require('./folders');

test('a page with a baseline says what it does not show', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bvhmill-page-'));
  try {
    write(folder, 'spiked.bvh', clipText({
      frames: 400,
      change: (frame, values) => { if (frame === 50) values[1] = '150'; },
    }));
    validate(folder, '--write-baseline', 'known.jsonl');
    const file = writePage(folder, '--baseline', 'known.jsonl');
    await withPage('#clip=takes/spiked.bvh', { file }, async (page) => {
      assert.match(await page.textContent('#subtitle'),
        /\. \d+ known issues of the baseline are not shown and not counted\.$/);
      assert.match(await page.textContent('.detail'),
        /\d+ issues of this clip are in the baseline and not shown\./);
      assert.equal(await page.textContent('.notice.good'),
        'Nothing new was found in this clip.');
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

test('a link to a clip that is not in the page says so', async () => {
  await withPage('#clip=big%2Fnope.bvh&code=DATA_SPIKE', {}, async (page) => {
    assert.equal(await page.textContent('#missing'),
      'The clip big/nope.bvh of the link is not in this page.');
    assert.ok(await page.isVisible('#missing'));
    await page.evaluate(() => { location.hash = '#clip=takes%2Fwalk_2.bvh'; });
    await page.waitForSelector('.detail');
    assert.ok(!await page.isVisible('#missing'));
  });
  await withPage('', {}, async (page) => {
    assert.ok(!await page.isVisible('#missing'));
  });
});

test('characters that turn the direction of a text are escaped', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bvhmill-page-'));
  try {
    // The same joint twice gives an issue with its name.
    const text = clipText({ joint: 'Arm\u202e' })
      .replace('JOINT Head', 'JOINT Arm\u202e');
    write(folder, 'a\u2066b.bvh', text);
    const file = writePage(folder);
    await withPage('', { file }, async (page) => {
      await page.click('.open');
      assert.doesNotMatch(await page.textContent('body'),
        /[\u202a-\u202e\u2066-\u2069]/);
      assert.equal(await page.getAttribute('.open', 'title'),
        'takes/a\\xE2\\x81\\xA6b.bvh');
      assert.match(await page.textContent('.detail'), /Arm\\xE2\\x80\\xAE/);
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
