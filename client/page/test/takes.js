// Takes for the tests: a sample of the gallery, and the same with faults.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PAGE } from './browser.js';

export const walk = readFileSync(join(PAGE, 'takes/walk_cycle.bvh'), 'utf8');

const [head, rest] = walk.split(/(?<=Frame Time:.*\n)/);
const rows = rest.trimEnd().split('\n').map((row) => row.trim().split(/\s+/));

// The first column of each joint.
const columns = new Map();
let column = 0;
for (const [, name, channels] of
  head.matchAll(/(?:ROOT|JOINT)\s+(\S+)[^{]*\{[^{}]*?CHANNELS\s+(\d)/g)) {
  columns.set(name, column);
  column += Number(channels);
}

function withRows(change) {
  const copy = rows.map((row) => [...row]);
  change(copy);
  return `${head}${copy.map((row) => row.join(' ')).join('\n')}\n`;
}

// The left forearm is elsewhere in frame 40.
export const spike = withRows((rows) => {
  const at = columns.get('LeftForeArm');
  rows[40][at] = String(Number(rows[40][at]) + 70);
  rows[40][at + 1] = String(Number(rows[40][at + 1]) + 70);
});

// Frame 90 lacks 5 values, which are of the right foot and its toes.
export const shortRow = withRows((rows) => {
  rows[90].length -= 5;
});

// The names of joints look like parts of a page.
export const HOSTILE = '<img/src=x/onerror=alert(1)>';
export const hostile = spike.replaceAll('LeftForeArm', HOSTILE)
  .replaceAll('Spine1', '</script><script>alert(2)</script>')
  .replaceAll('Neck1', '"style="display:none')
  .replaceAll('Head', 'url(//evil.test/x)');

// Each of many joints has a spike, so there are many issues.
export function manyIssues(joints) {
  const parts = ['HIERARCHY', 'ROOT Hips', '{', 'OFFSET 0 0 0',
    'CHANNELS 3 Xposition Yposition Zposition'];
  for (let j = 0; j < joints; ++j) {
    parts.push(`JOINT J${j}`, '{', `OFFSET ${j} 10 0`,
      'CHANNELS 3 Zrotation Xrotation Yrotation',
      'End Site', '{', 'OFFSET 0 10 0', '}', '}');
  }
  parts.push('}', 'MOTION', 'Frames: 60', 'Frame Time: 0.0166667');
  for (let f = 0; f < 60; ++f) {
    const row = [f * 0.1, 0, 0];
    for (let j = 0; j < joints; ++j) {
      const angle = 5 * Math.sin(0.1 * f) + (f === 30 ? 80 : 0);
      row.push(angle.toFixed(3), 0, 0);
    }
    parts.push(row.join(' '));
  }
  return `${parts.join('\n')}\n`;
}
