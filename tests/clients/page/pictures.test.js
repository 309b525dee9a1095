// The pictures, timelines and remarks of the page of `validate --format html`.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { describe, test } = require('node:test');
const { SEVERITIES, made, withPage, namesOn } = require('./fixture');
const { HOSTILE, writePage, clipText, write, withData } = require('./folders');

describe('pictures', () => {
  // Points of a path "M x y L x y M ...".
  const pointsOf = (path) => [...path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)]
    .map(([, x, y]) => [Number(x), Number(y)]);

  test('a good clip has three poses of its joints', async () => {
    await withPage('#text=walk_2', {}, async (page) => {
      await page.waitForSelector('.thumb .bones');
      const paths = await page.$$eval('.thumb .bones', (nodes) =>
        nodes.map((node) => node.getAttribute('d')));
      assert.equal(paths.length, 3);
      for (const path of paths) {
        const points = pointsOf(path);
        // Seven bones: Spine, Arm, Head, Leg and three end sites.
        assert.equal(points.length, 14);
        assert.ok(points.flat().every(Number.isFinite));
      }
      const label = await page.getAttribute('.thumb .figure', 'aria-label');
      assert.match(label, /^Poses at frames \d+, \d+, \d+$/);
    });
  });

  test('the curve of a row is highest where the clip jumps', async () => {
    await withPage('#text=jump', {}, async (page) => {
      await page.waitForSelector('.strip .curve path');
      const path = await page.getAttribute('.strip .curve path', 'd');
      const box = await page.getAttribute('.strip .curve', 'viewBox');
      const width = Number(box.split(' ')[2]);
      // The top edge: V is the height up to the next H.
      let least = Infinity;
      let place = 0;
      for (const [, y, x] of path.matchAll(/V([\d.-]+)H([\d.-]+)/g)) {
        if (Number(y) < least) [least, place] = [Number(y), Number(x)];
      }
      const frame = 1000 * (place - 0.5) / width;
      assert.ok(Math.abs(frame - 750) < 10, `frame ${frame}`);
    });
  });

  test('issues stand on the timeline at their frames, each with the shape ' +
    'of its severity', async () => {
    const copy = path.join(made.folder, 'spans.html');
    const out = withData(made.file, copy, (data) => {
      const clip = data.clips.find(({ name }) => name.endsWith('walk_2.bvh'));
      clip.issues = SEVERITIES.map((severity, i) => ({
        code: 'TEXT_EMPTY', severity, message: severity, times: 1,
        frame: 24 * i, last_frame: 24 * i + 47, args: {},
      }));
      clip.counts = [1, 1, 1, 1];
    });
    await withPage('#clip=takes%2Fwalk_2.bvh', { file: out }, async (page) => {
      const lanes = await page.$$eval('.lane', (nodes) => nodes.map((lane) => {
        const axis = lane.querySelector('.axis').getBoundingClientRect();
        const span = lane.querySelector('.span').getBoundingClientRect();
        return { name: lane.querySelector('.lane-name').textContent,
          left: (span.left - axis.left) / axis.width,
          width: span.width / axis.width,
          shape: lane.querySelector('.shape').getAttribute('d') };
      }));
      assert.deepEqual(lanes.map(({ name }) => name), SEVERITIES);
      lanes.forEach(({ left, width }, i) => {
        assert.ok(Math.abs(left - i / 10) < 0.01, `${i}: ${left}`);
        assert.ok(Math.abs(width - 0.2) < 0.01, `${i}: ${width}`);
      });
      assert.equal(new Set(lanes.map(({ shape }) => shape)).size, 4);
    });
  });

  test('remarks about the folder select their clips', async () => {
    const copy = path.join(made.folder, 'remarks.html');
    const out = withData(made.file, copy, (data) => {
      data.remarks = [
        { severity: 'info', message: `Another ${HOSTILE}`, count: 2,
          clips: [0, 2] },
        { severity: 'info', message: 'Mixed', count: 9, clips: [] },
      ];
    });
    await withPage('', { file: out }, async (page) => {
      await page.click('[data-remark="0"]');
      assert.equal((await namesOn(page)).length, 2);
      assert.equal(await page.locator('[data-remark]').count(), 1);
      const hash = await page.evaluate(() => location.hash);
      assert.equal(hash, '#set=0');
    });
  });
});

test('a remark about many clips selects all of them', async () => {
  const many = fs.mkdtempSync(path.join(os.tmpdir(), 'bvhmill-page-'));
  try {
    for (let i = 0; i < 120; ++i) {
      const joint = i < 70 ? 'Arm' : 'Wing';
      // 25 pairs of equal files.
      const frames = i < 50 ? 10 + Math.floor(i / 2) : 10 + i;
      write(many, `${i}.bvh`, clipText({ frames, joint }));
    }
    const out = writePage(many);
    await withPage('', { file: out }, async (page) => {
      const remarks = await page.$$eval('button[data-remark]', (nodes) =>
        nodes.map((node) => node.textContent));
      const choose = async (start) => {
        const at = remarks.findIndex((text) => text.includes(start));
        assert.ok(at >= 0, `${start} in ${remarks}`);
        await page.click(`[data-remark="${at}"]`);
        const count = await page.textContent('#count');
        await page.click('#clear');
        return [remarks[at].match(/(\d+) clips$/)[1], count];
      };
      assert.deepEqual(await choose('Another skeleton'),
        ['50', '50 of 120 clips']);
      assert.deepEqual(await choose('The same file: 5 more groups'),
        ['10', '10 of 120 clips']);
    });
  } finally {
    fs.rmSync(many, { recursive: true, force: true });
  }
});

test('equal clips and options give equal pages', () => {
  const one = fs.readFileSync(writePage(made.folder, '-j', '1'));
  assert.ok(one.equals(fs.readFileSync(writePage(made.folder, '-j', '4'))));
});
