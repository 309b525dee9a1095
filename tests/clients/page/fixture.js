// A folder of clips, its page, and a browser, for the tests of one file.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before } = require('node:test');
const { startBrowser, openPage } = require('./browser');
const { reportsOf, shown, writePage, fillFolder } = require('./folders');

const SEVERITIES = ['error', 'warning', 'info', 'hint'];

// `folder`, the page `file` of it, and the `reports` of its clips, whose files are
// named as on the page; set before the tests.
const made = {};
let browser;

before(async () => {
  made.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bvhmill-page-'));
  fillFolder(made.folder);
  made.reports = reportsOf(made.folder)
    .map((report) => ({ ...report, file: shown(report.file) }));
  made.file = writePage(made.folder);
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  fs.rmSync(made.folder, { recursive: true, force: true });
});

// Runs work(page) on a fresh page, which must do nothing that is forbidden.
// Returns its result.
async function withPage(hash, options, work) {
  const file = options.file || made.file;
  const page = await openPage(browser, file, hash, options);
  try {
    const result = await work(page);
    assert.deepEqual(page.faults, []);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    return result;
  } finally {
    await page.close();
  }
}

// The names of the clips that are shown, in their order.
function namesOn(page) {
  return page.$$eval('tr.clip .open', (nodes) => nodes.map((n) => n.title));
}

module.exports = { SEVERITIES, made, withPage, namesOn };
