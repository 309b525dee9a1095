// The page of `validate --format html` in a real browser.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { describe, test } = require('node:test');
const { SEVERITIES, made, withPage, namesOn } = require('./fixture');
const { HOSTILE, shown, validate, clipText } = require('./folders');

const AXE = fs.readFileSync(require.resolve('axe-core/axe.js'), 'utf8');

// The clip with the focus; '' if another element has it.
function focusOn(page) {
  return page.evaluate(() => document.activeElement.matches('.open')
    ? document.activeElement.title : '');
}

function countOf(report, severity) {
  const { counts } = report.report || { counts: {} };
  return counts[`${severity}s`] || 0;
}

// The name as a page has it.
const verdictOf = ({ report }) => report === null ? 'not read'
  : report.verdict.replace('VERDICT_', '').toLowerCase();

describe('the page', () => {
  test('shows what validate --json says, without a request', async () => {
    await withPage('', {}, async (page) => {
      const rows = await page.$$eval('tr.clip', (nodes) => nodes.map((row) => ({
        file: row.querySelector('.open').title,
        verdict: row.querySelector('.verdict').textContent,
        errors: row.querySelector('.errors').textContent,
        warnings: row.querySelector('.warnings').textContent,
        hints: row.querySelector('.hints').textContent,
        frames: row.querySelector('.frames').textContent,
        joints: row.querySelector('.joints').textContent,
      })));
      const byFile = new Map(rows.map((row) => [row.file, row]));
      assert.equal(rows.length, made.reports.length);
      for (const report of made.reports) {
        const count = (severity) => String(countOf(report, severity));
        const { info } = report;
        const fact = (value) => value >= 0 ? value.toLocaleString('en') : '–';
        assert.deepEqual(byFile.get(report.file), {
          file: report.file,
          verdict: verdictOf(report),
          errors: count('error'),
          warnings: count('warning'),
          hints: count('hint'),
          frames: fact(info?.frames),
          joints: fact(info?.joint_count),
        });
      }
    });
  });

  test('opens a clip with every issue of its report', async () => {
    await withPage('', {}, async (page) => {
      for (const { file: name, report } of made.reports) {
        if (report === null) continue;
        await page.evaluate((clip) => {
          [...document.querySelectorAll('.open')]
            .find((node) => node.title === clip).click();
        }, name);
        const shown = await page.$$eval('.issue', (nodes) => nodes.map((n) => [
          n.dataset.code, n.querySelector('.message').textContent]));
        const wanted = report.issues.map((issue) => [issue.code,
          `${issue.severity.replace('SEVERITY_', '').toLowerCase()}: ` +
          issue.message]);
        assert.deepEqual(shown, wanted, name);
        await page.evaluate(() =>
          document.querySelector('.open[aria-expanded=true]').click());
      }
    });
  });

  // Worked out from the hierarchy and the formulas of clipText.
  test('states the facts of a clip', async () => {
    await withPage('', {}, async (page) => {
      await page.evaluate(() => {
        [...document.querySelectorAll('.open')]
          .find((node) => node.title.endsWith('walk_2.bvh')).click();
      });
      const facts = await page.$$eval('.facts > div', (nodes) => nodes.map(
        (n) => [n.querySelector('dt').textContent,
          n.querySelector('dd').textContent]));
      const reach = 40 + Math.hypot(20, 10) + 45;
      const loop = Math.abs(30 * Math.sin(239 / 15));
      const text = (value) => String(Number(value.toPrecision(3)));
      const shown = Object.fromEntries(facts);
      const wanted = {
        Frames: '240',
        Duration: '2 s',
        Rate: '120 frames/s',
        Joints: '5',
        Channels: '18',
        Depth: '3 joints',
        'Rest pose': 'of no body, 65 by 175 by 0',
        Reach: text(reach),
        'Way of the root': text(239 * 0.5),
        'Speed of the root': `${text(0.5 / 0.008333)} /s`,
        'Turns most': 'Arm 30°, Leg 30°, Head 10°, Spine 6°',
        'Loop error': `${text(loop)}°, root ${text(239 * 0.5)}`,
      };
      for (const [name, value] of Object.entries(wanted)) {
        assert.equal(shown[name], value, name);
      }
      assert.match(shown.Extents, /^x 0 to 184, y 0 to 175, z -45 to 45$/);
      assert.match(shown['Fastest joint'], /^Head, 65\.1 \/s at frame \d+$/);
    });
  });

  test('has a policy that forbids all but its own parts', async () => {
    await withPage('', {}, async (page) => {
      const blocked = await page.evaluate(async () => {
        const found = [];
        document.addEventListener('securitypolicyviolation',
          (event) => found.push(event.effectiveDirective));
        const script = document.createElement('script');
        try { script.textContent = 'window.hacked = 1'; } catch (error) {
          found.push(error.name);
        }
        const style = document.createElement('style');
        style.textContent = 'body { display: none }';
        document.head.append(style);
        try { document.body.innerHTML += '<p>'; } catch (error) {
          found.push(error.name);
        }
        await fetch('http://127.0.0.1:9/').catch(() => {});
        const image = document.createElement('img');
        image.src = 'http://127.0.0.1:9/a.png';
        document.body.append(image);
        for (let i = 0; i < 1000 && !found.includes('img-src'); ++i) {
          await new Promise((done) => setTimeout(done, 10));
        }
        return found;
      });
      for (const name of ['TypeError', 'style-src-elem', 'connect-src',
        'img-src']) {
        assert.ok(blocked.includes(name), `${name} in ${blocked}`);
      }
      // The browser says what it blocked, and what was asked for.
      page.faults = page.faults.filter((text) =>
        !/Content Security Policy|Trusted|127\.0\.0\.1:9/.test(text));
    });
  });

  test('sorts by the columns, both ways', async () => {
    const frames = (report) => report.info ? report.info.frames : NaN;
    const columns = [
      ['frames', frames],
      ['errors', (report) => countOf(report, 'error')],
      ['warnings', (report) => countOf(report, 'warning')],
      ['hints', (report) => countOf(report, 'hint')],
      ['joints', (report) => report.info ? report.info.joint_count : NaN],
    ];
    await withPage('', {}, async (page) => {
      const byFile = new Map(
        made.reports.map((report) => [report.file, report]));
      for (const [key, valueOf] of columns) {
        for (const way of ['descending', 'ascending']) {
          await page.click(`th.${key} button`);
          assert.equal(await page.getAttribute(`th.${key}`, 'aria-sort'), way);
          assert.equal(await page.locator('[aria-sort]').count(), 1);
          const values = (await namesOn(page))
            .map((name) => valueOf(byFile.get(name)));
          const known = values.filter((value) => !Number.isNaN(value));
          const sorted = [...known].sort((a, b) => a - b);
          if (way === 'descending') sorted.reverse();
          // Values that are not known come last.
          assert.deepEqual(values.slice(0, known.length), sorted, key);
          assert.equal(values.length, made.reports.length);
        }
      }
      await page.click('th.name button');
      const names = await namesOn(page);
      const at = (name) => names.indexOf(`takes/${name}`);
      assert.ok(at('walk_2.bvh') < at('walk_10.bvh'), 'numbers by value');
    });
  });

  test('filters by text, severity, code and verdict, and says how many',
    async () => {
      const issuesOf = ({ report }) => report === null ? [] : report.issues;
      const shows = async (page, isShown) => {
        const wanted = made.reports.filter(isShown)
          .map((report) => report.file);
        assert.ok(wanted.length > 0 && wanted.length < made.reports.length);
        await page.waitForFunction((count) =>
          document.querySelectorAll('tr.clip').length === count, wanted.length);
        assert.deepEqual((await namesOn(page)).sort(), wanted.sort());
        const total = `${made.reports.length} clips`;
        assert.equal(await page.textContent('#count'),
          `${wanted.length} of ${total}`);
        await page.click('#clear');
        assert.equal(await page.textContent('#count'), total);
      };
      await withPage('', {}, async (page) => {
        await page.fill('#text', 'SUB/ b');
        await shows(page, ({ file: name }) => /sub\/.*b/i.test(name));
        for (const severity of ['error', 'warning']) {
          await page.click(`[data-level=${severity}]`);
          await shows(page, (report) => countOf(report, severity) > 0);
        }
        const found = made.reports.find((r) => issuesOf(r).length);
        const { code } = issuesOf(found)[0];
        const hasCode = (report) => issuesOf(report)
          .some((issue) => issue.code === code);
        await page.click(`#codes button[data-code=${code}]`);
        await shows(page, hasCode);
        await page.selectOption('#code', code);
        await shows(page, hasCode);
        await page.selectOption('#verdict', 'unreadable');
        await shows(page, (report) => verdictOf(report) === 'unreadable');
        await page.click('[data-verdict=invalid]');
        await shows(page, (report) => verdictOf(report) === 'invalid');
        await page.fill('#text', 'no such clip');
        await page.waitForSelector('#nothing:not([hidden])');
        assert.equal(await page.isVisible('#table'), false);
      });
    });

  test('several codes filter for clips that have one of them', async () => {
    const codesOf = ({ report }) =>
      new Set((report?.issues || []).map(({ code }) => code));
    const codes = ['DATA_NOT_FINITE', 'DATA_SPIKE'];
    const wanted = made.reports.filter((report) =>
      codes.some((code) => codesOf(report).has(code))).map(({ file }) => file);
    assert.ok(codes.every((code) =>
      made.reports.some((report) => codesOf(report).has(code))));
    await withPage('', {}, async (page) => {
      await page.context().grantPermissions(
        ['clipboard-read', 'clipboard-write']);
      for (const code of codes) {
        await page.click(`#codes button[data-code=${code}]`);
      }
      assert.deepEqual((await namesOn(page)).sort(), wanted.sort());
      assert.equal(await page.inputValue('#code'), 'several');
      await page.click('#copy');
      await page.waitForFunction(() =>
        document.getElementById('count').textContent.endsWith(' copied'));
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.deepEqual(copied.trim().split('\n').sort(), wanted.sort());
      const hash = await page.evaluate(() => location.hash);
      await withPage(hash, {}, async (other) =>
        assert.deepEqual((await namesOn(other)).sort(), wanted.sort()));
    });
  });

  test('a link opens its clip and goes to its issue', async () => {
    const hash = '#clip=takes%2Fsub%2Fbroken_value.bvh&code=DATA_NOT_FINITE';
    await withPage(hash, {}, async (page) => {
      const open = await page.$$eval('.open[aria-expanded=true]',
        (nodes) => nodes.map((node) => node.title));
      assert.deepEqual(open, ['takes/sub/broken_value.bvh']);
      const focus = await page.evaluate(() => ({
        code: document.activeElement.dataset.code,
        text: document.activeElement.textContent,
        box: document.activeElement.getBoundingClientRect().toJSON(),
        height: innerHeight,
      }));
      assert.equal(focus.code, 'DATA_NOT_FINITE');
      assert.match(focus.text, /frame 90/);
      assert.ok(focus.box.top >= 0 && focus.box.bottom <= focus.height);
      // The link of the issue is the address that was opened.
      const links = await page.$$eval('.issue a', (nodes) =>
        nodes.map((node) => new URL(node.href).hash));
      assert.ok(links.includes(hash), String(links));
    });
  });

  // Two issues of one code and joint: its rotation and its position.
  test('a link goes to its issue among several of one code', async () => {
    const clip = 'takes/sub/spikes.bvh';
    const spikes = made.reports.find((report) => report.file === clip)
      .report.issues.filter(({ code }) => code === 'DATA_SPIKE');
    assert.equal(spikes.length, 2);
    const messageAt = (hash) => withPage(hash, {}, async (page) => page
      .evaluate(() => document.activeElement.querySelector('.message')
        .textContent));
    await withPage(`#clip=${encodeURIComponent(clip)}`, {}, async (page) => {
      const links = await page.$$eval('.issue[data-code=DATA_SPIKE] a',
        (nodes) => nodes.map((node) => new URL(node.href).hash));
      assert.equal(new Set(links).size, 2);
      for (const [i, hash] of links.entries()) {
        assert.ok((await messageAt(hash)).endsWith(spikes[i].message), hash);
      }
    });
    const plain = `#clip=${encodeURIComponent(clip)}&code=DATA_SPIKE`;
    for (const hash of [plain, `${plain}&nth=9`, `${plain}&nth=x`]) {
      assert.ok((await messageAt(hash)).endsWith(spikes[0].message), hash);
    }
    // The address stays that of the issue.
    await withPage(`${plain}&nth=2`, {}, async (page) => {
      assert.equal(await page.evaluate(() => location.hash), `${plain}&nth=2`);
    });
  });

  test('the frames of an issue are those that are wrong', async () => {
    const hash = `#clip=${encodeURIComponent('takes/sub/spikes.bvh')}`;
    await withPage(hash, {}, async (page) => {
      const places = await page.$$eval('.issue[data-code=DATA_SPIKE] dd',
        (nodes) => nodes.map((node) => node.textContent)
          .filter((text) => text.startsWith('frame')));
      assert.equal(places.length, 2);
      assert.match(places[0], /^frame (200|250|300) \([\d.]+ s\), joint Hips, line (242|292|342); 3 times: in frames 200, 250, 300$/);
      assert.match(places[1], /^frame (50|100|150) \([\d.]+ s\), joint Hips, line (92|142|192); 3 times: in frames 50, 100, 150$/);
      // No bar between them.
      assert.equal(await page.locator('.lane .warning .span').count(), 0);
      assert.equal(await page.locator('.lane .warning .place').count(), 6);
    });
  });

  test('codes beyond --max-issues are counted and filter', async () => {
    const all = await withPage('', {}, (page) => page.$$eval('#codes button',
      (nodes) => nodes.map((node) => [node.dataset.code,
        node.querySelector('.clips-count').textContent])));
    const cut = path.join(made.folder, 'cut.html');
    validate(made.folder, '--format', 'html', '-o', 'cut.html',
      '--max-issues', '1');
    const clip = 'takes/sub/spikes.bvh';
    const report = made.reports.find(({ file: name }) => name === clip).report;
    const last = report.issues.at(-1).code;
    assert.notEqual(last, report.issues[0].code);
    await withPage('', { file: cut }, async (page) => {
      assert.deepEqual(await page.$$eval('#codes button', (nodes) =>
        nodes.map((node) => [node.dataset.code,
          node.querySelector('.clips-count').textContent])), all);
      await page.selectOption('#code', last);
      assert.ok((await namesOn(page)).includes(clip));
      const row = page.locator(`#codes [data-code=${last}]`);
      assert.ok((await row.getAttribute('title')).length > 0);
      assert.ok((await row.locator('.code-title').textContent()).length > 0);
    });
    await withPage(`#clip=${encodeURIComponent(clip)}`, { file: cut },
      async (page) => {
        assert.equal(await page.locator('.issue').count(), 1);
        const notice = await page.textContent('.detail .notice');
        assert.ok(notice.includes(`${last} `), notice);
      });
  });

  test('a link has the filters and the order', async () => {
    await withPage('', {}, async (page) => {
      await page.click('th.frames button');
      await page.click('[data-level=error]');
      await page.fill('#text', 'sub');
      await page.waitForFunction(() => location.hash.includes('text='));
      const names = await namesOn(page);
      const hash = await page.evaluate(() => location.hash);
      await withPage(hash, {}, async (other) => {
        assert.deepEqual(await namesOn(other), names);
        assert.equal(await other.inputValue('#text'), 'sub');
        assert.equal(
          await other.getAttribute('th.frames', 'aria-sort'), 'descending');
      });
    });
  });

  test('links that name nothing show the whole table', async () => {
    for (const hash of ['#clip=none&code=TEXT_EMPTY2', '#code=__proto__',
      '#code=constructor', '#%E0%A4%A', '#clip=%3Cimg%20src%3Dx%3E', '#=&&=',
      '#set=99&sort=__proto__&with=x&verdict=y']) {
      await withPage(hash, {}, async (page) => {
        assert.equal((await namesOn(page)).length, made.reports.length, hash);
        assert.equal(await page.locator('.issue').count(), 0, hash);
      });
    }
  });

  test('the keyboard alone walks it', async () => {
    await withPage('', {}, async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('walk_');
      await page.waitForFunction(() =>
        document.querySelectorAll('tr.clip').length === 2);
      assert.equal(await page.inputValue('#text'), 'walk_');
      const [first, second] = await namesOn(page);
      await page.keyboard.press('Enter');
      assert.equal(await focusOn(page), first);
      await page.keyboard.press('ArrowDown');
      assert.equal(await focusOn(page), second);
      await page.keyboard.press('ArrowDown');
      assert.equal(await focusOn(page), second, 'the last one');
      await page.keyboard.press('Home');
      assert.equal(await focusOn(page), first);
      await page.keyboard.press('Enter');
      assert.equal(await page.locator('.detail').count(), 1);
      await page.keyboard.press('Tab');
      assert.equal(await focusOn(page), '', 'the focus is in the clip');
      assert.ok(await page.evaluate(() =>
        document.activeElement.closest('.detail') !== null));
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('.detail').count(), 0);
      assert.equal(await focusOn(page), first);
      await page.keyboard.press('Escape');
      assert.equal((await namesOn(page)).length, made.reports.length);
    });
  });

  test('every control is reached by Tab, and shows the focus', async () => {
    await withPage('', {}, async (page) => {
      const reached = [];
      for (let i = 0; i < 80; ++i) {
        await page.keyboard.press('Tab');
        const stop = await page.evaluate(() => {
          const node = document.activeElement;
          if (node === document.body) return null;
          const style = getComputedStyle(node);
          return { tag: node.tagName, id: node.id, class: node.className,
            outline: style.outlineStyle !== 'none' };
        });
        if (stop === null) break;
        assert.ok(stop.outline, JSON.stringify(stop));
        reached.push(`${stop.tag}#${stop.id}.${stop.class}`);
      }
      for (const wanted of ['#theme', '#text', '#code', '#verdict', '.sort']) {
        assert.ok(reached.some((stop) => stop.includes(wanted)), wanted);
      }
      assert.equal(
        reached.filter((stop) => stop.endsWith('.open')).length, 1);
    });
  });

  test('hostile names are text', async () => {
    const { file: name } =
      made.reports.find(({ file }) => file.includes('hacked'));
    const hash = `#clip=${encodeURIComponent(name)}`;
    await withPage(hash, {}, async (page) => {
      const row = page.locator('.open[aria-expanded=true]');
      assert.ok((await row.textContent()).endsWith(
        shown(HOSTILE.slice(HOSTILE.lastIndexOf('/') + 1)) + '.bvh'));
      const texts = await page.$$eval('.issue', (nodes) =>
        nodes.map((node) => node.textContent));
      assert.ok(texts.some((text) => text.includes('onerror=window.hacked')));
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await page.locator('script').count(), 2);
    });
  });

  test('axe finds nothing, wide and narrow, light and dark', async () => {
    const hash = '#clip=takes%2Fsub%2Fbroken_value.bvh';
    for (const width of [1280, 360]) {
      for (const scheme of ['light', 'dark']) {
        await withPage(hash, { width, scheme }, async (page) => {
          await page.evaluate(AXE);
          const found = await page.evaluate(() => window.axe.run());
          assert.deepEqual(found.violations.map(({ id, nodes }) =>
            `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`), []);
        });
      }
    }
  });

  test('a phone needs no horizontal scrolling', async () => {
    for (const width of [360, 414, 768, 1000]) {
      const { file: name } =
      made.reports.find(({ file }) => file.includes('hacked'));
      await withPage(`#clip=${encodeURIComponent(name)}`, { width },
        async (page) => {
          const [content, view] = await page.evaluate(() =>
            [document.documentElement.scrollWidth, innerWidth]);
          assert.ok(content <= view, `${content} in ${view}`);
        });
    }
  });

  test('print shows every row and the open clip, on white', async () => {
    const hash = '#clip=takes%2Fsub%2Fbroken_value.bvh';
    await withPage(hash, { scheme: 'dark' }, async (page) => {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      for (const [selector, isVisible] of [['#theme', false], ['#text', false],
        ['.keys', false], ['.actions', false], ['#table', true],
        ['.issue', true]]) {
        const shown = await page.locator(selector).first().isVisible();
        assert.equal(shown, isVisible, selector);
      }
      assert.equal((await namesOn(page)).length, made.reports.length);
      assert.equal(await page.evaluate(() =>
        getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
      const pdf = await page.pdf({ preferCSSPageSize: true });
      assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    });
  });

  test('the theme can be chosen', async () => {
    const back = (page) => page.evaluate(() =>
      getComputedStyle(document.body).backgroundColor);
    await withPage('', { scheme: 'light' }, async (page) => {
      const light = await back(page);
      await page.click('#theme');
      assert.equal(await back(page), light);
      await page.click('#theme');
      assert.equal(await page.textContent('#theme'), 'Theme: dark');
      assert.notEqual(await back(page), light);
      await page.click('#theme');
      assert.equal(await back(page), light);
    });
  });
});
