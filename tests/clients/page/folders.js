// Folders of clips, their reports and pages.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const BIN = process.env.BVHMILL_BIN;

// A clip is `valid` or not; the command fails if one is not. Returns stdout.
function validate(folder, ...flags) {
  const ran = spawnSync(path.join(BIN, 'bvhmill'),
    ['validate', '-r', 'takes', '--local', '-q', ...flags],
    { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (ran.error) throw ran.error;
  if (ran.status > 1) throw new Error(`bvhmill ended with ${ran.status}: ` +
    ran.stderr);
  return ran.stdout;
}

// The reports of `validate --json` about the clips of a folder.
function reportsOf(folder) {
  return validate(folder, '--json').trimEnd().split('\n').map(JSON.parse);
}

// Writes report.html of a folder, and returns its path.
function writePage(folder, ...flags) {
  const file = path.join(folder, 'report.html');
  validate(folder, '--format', 'html', '-o', 'report.html', '-f', ...flags);
  return file;
}

// Would run if a name became HTML.
const HOSTILE = '</script><script>window.hacked=1</script>' +
  '<img/src=x/onerror=window.hacked=1>"\'&amp;\u2028{{DATA}}${1}';

// A name as the page shows it: a character that has no width is escaped.
const shown = (name) => name.replaceAll('\u2028', '\\xE2\\x80\\xA8');

// A walk of `frames` frames in which joints swing. `change(frame, values)` may
// change the values of a row.
function clipText({ frames = 120, joint = 'Arm', change = () => {} } = {}) {
  const hierarchy = `HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 40 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT ${joint}
    {
      OFFSET 20 10 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 45 0 0
      }
    }
    JOINT Head
    {
      OFFSET 0 30 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 15 0
      }
    }
  }
  JOINT Leg
  {
    OFFSET 10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -90 0
    }
  }
}
MOTION
Frames: ${frames}
Frame Time: 0.008333
`;
  const rows = [];
  for (let frame = 0; frame < frames; ++frame) {
    const swing = 30 * Math.sin(frame / 15);
    const values = [frame * 0.5, 90, 0, 0, 0, 0, 0, swing / 5, 0,
      swing, 0, 0, 0, 0, swing / 3, 0, swing, 0].map((v) => v.toFixed(4));
    change(frame, values);
    rows.push(values.join(' '));
  }
  return `${hierarchy}${rows.join('\n')}\n`;
}

function write(folder, name, text) {
  const file = path.join(folder, 'takes', name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

// Clips of every verdict, with issues in time, names that would be HTML, and
// files that are not clips.
function fillFolder(folder) {
  write(folder, 'walk_2.bvh', clipText({ frames: 240 }));
  write(folder, 'walk_10.bvh', clipText({ frames: 60 }));
  write(folder, 'sub/broken_value.bvh', clipText({
    change: (frame, values) => { if (frame === 90) values[9] = 'nan'; },
  }));
  write(folder, 'sub/bad_number.bvh', clipText({
    change: (frame, values) => { if (frame === 30) values[4] = '1,5'; },
  }));
  write(folder, 'sub/jump.bvh', clipText({
    frames: 1000,
    change: (frame, values) => { if (frame === 750) values[9] = '120'; },
  }));
  // The root is elsewhere at three frames, and turned at three others.
  write(folder, 'sub/spikes.bvh', clipText({
    frames: 400,
    change: (frame, values) => {
      if ([50, 100, 150].includes(frame)) values[1] = '150';
      if ([200, 250, 300].includes(frame)) values[4] = '60';
    },
  }));
  write(folder, 'not_a_clip.bvh', 'PK\u0003\u0004 something else');
  write(folder, 'empty.bvh', '');
  write(folder, 'gone.bvh.gz', 'this is not gzip');
  // The same joint twice gives an issue with its name. A brace ends a name.
  const joint = HOSTILE.replaceAll(/[{}]/g, '');
  write(folder, `${HOSTILE}.bvh`,
    clipText({ joint }).replace('JOINT Head', () => `JOINT ${joint}`));
}

// A page with the data that change(data) returns or changes, from the page at
// `file`. The data are no part of what the policy of the page hashes.
function withData(file, out, change) {
  const text = fs.readFileSync(file, 'utf8');
  const begin = text.indexOf('id="data">') + 'id="data">'.length;
  const end = text.indexOf('</script>', begin);
  const data = JSON.parse(text.slice(begin, end));
  const changed = change(data) || data;
  const json = JSON.stringify(changed).replaceAll('<', '\\u003c');
  fs.writeFileSync(out, text.slice(0, begin) + json + text.slice(end));
  return out;
}

module.exports = {
  BIN, HOSTILE, shown, validate, reportsOf, writePage, clipText, write, fillFolder,
  withData,
};
