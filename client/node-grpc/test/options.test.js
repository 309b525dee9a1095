// Every option: the client and the HTTP API, which reads options as JSON, make
// the same outputs and reports, and each option changes one of them.

import assert from 'node:assert';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Bvhmill } from '@bvhmill/client';

import {
  ROOT, bytesOf, makeFolder, makeTakes, npyData, removeFolder, startServer,
} from './support.js';

const SCHEMA = JSON.parse(readFileSync(
  join(ROOT, 'docs', 'schema', 'options.schema.json'), 'utf8'));

const folder = makeFolder();
let server;
let mill;

before(async () => {
  makeTakes(folder);
  server = await startServer('--http', '0');
  mill = new Bvhmill(server.address);
});

after(async () => {
  mill.close();
  await server.stop();
  removeFolder(folder);
});

function take(name) {
  return readFileSync(join(folder, `${name}.bvh`), 'latin1');
}

const walk = () => take('walk_cycle');

// `text` with its rows changed.
function withRows(text, change) {
  const [head, rows] = text.split(/(?<=Frame Time: *[\d.]+\n)/);
  const lines = rows.trimEnd().split('\n').map((row) => row.split(' '));
  const changed = change(lines).map((row) => row.join(' '));
  return head.replace(/Frames: *\d+/, `Frames: ${changed.length}`) +
    `${changed.join('\n')}\n`;
}

function withValue(frame, value) {
  return withRows(walk(), (rows) => {
    rows[frame][9] = value;
    return rows;
  });
}

const doubled = () => withRows(walk(), (rows) =>
  rows.flatMap((row) => [row, row]));
const wound = () => withRows(walk(), (rows) => rows.map((row, i) =>
  row.map((value, k) => k === 9 && i > 60 ? `${Number(value) + 360}` : value)));
const japanese = () => walk().replace('Hips', '\x8d\x98');
const raised = () => walk().replace(/OFFSET \S+ \S+ \S+/, 'OFFSET 1 2 3');
const wrongCount = () => walk().replace('Frames: 120', 'Frames: 119');
const prefixed = () => walk().replace(/(ROOT|JOINT) /g, '$1 rig:');

const METERS = { units: 'cm' };

// option: [value, { clip, format, with other options, of: 'report' }]
const ROWS = {
  strict: [true, { clip: wrongCount }],
  joint_positions: ['add', { format: 'positions',
    clip: () => take('six_channels') }],
  root_offset: ['add', { clip: raised, format: 'positions' }],
  name_encoding: ['gbk', { clip: japanese }],
  units: ['mm', { with: { to_units: 'm' } }],
  up: ['z', { with: { to_up: 'y' } }],
  drop_repeated: [true, { clip: doubled }],
  snap_rate: [true, { clip: () =>
    walk().replace(/Frame Time: \S+/, 'Frame Time: 0.033') }],
  fill_gaps: [3, { clip: () => withValue(50, 'nan') }],
  replace_spikes: [true, { clip: () => withValue(50, '120') }],
  unwrap: [true, { clip: wound }],
  drop: [['Head', 'LeftHand*']],
  keep: [['Hips', 'Spine']],
  drop_mode: ['rigid', { with: { drop: ['Spine1'] } }],
  figure: [2, { clip: () => take('two_dancers') }],
  rename: [{ Hips: 'pelvis', Head: 'skull' }],
  strip_prefix: [true, { clip: prefixed }],
  joint_map: [{ Hips: 'a', Head: 'b' }],
  names_to: ['cmu'],
  rig: ['smpl22'],
  frames: [[10, null, 2]],
  trim: [[0.5, 2]],
  fps: [20],
  state_fps: [60],
  interpolation: ['lerp', { with: { fps: 47 } }],
  to_units: [0.5, { with: METERS }],
  to_up: ['z', { with: { up: 'y' } }],
  in_place: [true],
  at_origin: [true],
  mirror: [true],
  tpose_frame: [5],
  rest: ['apose'],
  floor: [true, { with: { trim: [0.2, 0.4] } }],
  body_root: ['Spine', { with: { at_origin: true }, of: 'either' }],
  root_axes: ['xzy'],
  root_signs: ['-+-'],
  root_correction: [[10, 20.5, -30]],
  ignore: [['DATA_*'], { of: 'report' }],
  only: [['DATA_SPIKE'], { of: 'report' }],
  severities: [{ DATA_UNIT_GUESS: 'error' }, { of: 'report' }],
  max_issues: [1, { of: 'report', clip: () =>
    withRows(wrongCount(), (rows) => rows).replace('Frames: 120',
      'Frames: 118') }],
  thresholds: [{ 'DATA_SPIKE.degrees': 7.5 }, { of: 'report' }],
  measures: [true, { of: 'measures' }],
  end_sites: [true, { format: 'csv' }],
  layout: ['joint_major', { format: 'rotations' }],
  rotation_kind: ['6d', { format: 'rotations' }],
  rotation_space: ['world', { format: 'npz' }],
  npz_arrays: [['velocities', 'positions'], { format: 'npz' }],
  bvh_decimals: [0],
  bvh_order: ['xyz'],
  bvh_channels: ['6'],
  csv_arrays: [['velocities', 'rotations'], { format: 'csv' }],
  glb_tolerance_degrees: [0, { format: 'glb' }],
  glb_tolerance_percent: [50, { format: 'glb' }],
  anim_profile: ['viewer', { format: 'anim' }],
  anim_priority: [-1, { format: 'anim' }],
  anim_joint_priority: [{ mHead: 4, mPelvis: -1 }, { format: 'anim' }],
  anim_loop: [[0.5, 1.5], { format: 'anim' }],
  anim_ease_in: [0, { format: 'anim' }],
  anim_ease_out: [1.25, { format: 'anim' }],
  anim_hand_pose: [0, { format: 'anim' }],
  anim_emote: ['express_smile', { format: 'anim' }],
  anim_accept_odd: [true, { format: 'anim',
    with: { anim_map: { Head: 'mHead' } } }],
  anim_upload: [true, { format: 'anim' }],
  anim_reference: ['first', { format: 'anim' }],
  anim_match_limbs: [true, { format: 'anim',
    with: { anim_reference: 'rest' } }],
  anim_scale_to_avatar: [true, { format: 'anim', with: METERS }],
  anim_map: ['own', { format: 'anim' }],
  anim_max_degrees: [0, { format: 'anim' }],
  anim_max_mm: [0, { format: 'anim' }],
  anim_max_bytes: [3000, { format: 'anim' }],
  anim_max_degrees_limit: [0.2, { format: 'anim',
    with: { anim_max_bytes: 3000 } }],
};

function bytes(text) {
  return Buffer.from(text, 'latin1');
}

function digest(data) {
  return createHash('sha256').update(data).digest('hex');
}

// The output of the client, or the reason of its error.
async function byClient(text, format, options) {
  try {
    const { outputs, errors } = await mill.convert(bytes(text),
      { ...options, emit: [format] });
    if (errors[format]) throw errors[format];
    return digest(bytesOf(outputs[format]));
  } catch (error) {
    return error.reason;
  }
}

function post(method, text, options) {
  const query = new URLSearchParams({ options: JSON.stringify(options) });
  return fetch(`${server.http}/v1/${method}?${query}`,
    { method: 'POST', body: bytes(text) });
}

async function byHttp(text, format, options) {
  const answer = await post('convert', text, { ...options, emit: [format] });
  if (!answer.ok) return (await answer.json()).reason;
  const body = Buffer.from(await answer.arrayBuffer());
  return digest(body.subarray(1, 6).equals(Buffer.from('NUMPY'))
    ? npyData(body) : body);
}

async function reportByClient(text, options) {
  try {
    return (await mill.validate(bytes(text), options)).report;
  } catch (error) {
    return error.reason;
  }
}

async function reportByHttp(text, options) {
  const { report, reason } =
    await (await post('validate', text, options)).json();
  return report ?? reason;
}

test('the rows are those of the schema', () => {
  const { emit, ...options } = SCHEMA.properties;
  assert.ok(emit);
  assert.deepStrictEqual(Object.keys(ROWS).sort(), Object.keys(options).sort());
});

for (const [option, [value, row = {}]] of Object.entries(ROWS)) {
  test(`option ${option}`, async () => {
    const { clip = walk, format = 'bvh', with: others = {} } = row;
    const text = clip();
    const options = { ...others, [option]: value };
    const emit = [format];
    const output = await byClient(text, format, options);
    const report = await reportByClient(text, { ...options, emit });
    assert.strictEqual(output, await byHttp(text, format, options));
    assert.deepStrictEqual(report,
      await reportByHttp(text, { ...options, emit }));
    if (option === 'measures') {
      assert.ok((await mill.validate(bytes(text), options)).measures);
      return;
    }
    // It has an effect.
    assert.notDeepStrictEqual([output, report], [
      await byClient(text, format, others),
      await reportByClient(text, { ...others, emit }),
    ]);
    if (row.of !== 'report') {
      assert.notStrictEqual(output, await byClient(text, format, others));
    }
  });
}

test('options that take values of several kinds', async () => {
  for (const [options, format] of [
    [{ joint_map: 'mixamo' }, 'bvh'], [{ anim_loop: true }, 'anim'],
    [{ anim_map: { Hips: 'mPelvis', Head: 'mHead' }, anim_accept_odd: true },
      'anim'], [{ frames: [10, 20] }, 'bvh'], [{ frames: [null, 20] }, 'bvh'],
    [{ trim: [null, 1] }, 'bvh'], [{ units: 0.01, to_units: 'inch' }, 'bvh'],
  ]) {
    const output = await byClient(walk(), format, options);
    assert.strictEqual(output, await byHttp(walk(), format, options));
    assert.notStrictEqual(output, await byClient(walk(), format, {}));
  }
});

test('anim_constraints are those of the file', async () => {
  const constraint = {
    chain_length: 1, type: 'plane', source_volume: 'L_FOOT',
    target_volume: 'GROUND', target_offset: { z: 0.25 },
    ease_out_start_seconds: 1, ease_out_stop_seconds: 2,
  };
  const { outputs: { anim } } = await mill.convert(bytes(walk()),
    { emit: ['anim'], anim_constraints: [constraint] });
  const file = bytesOf(anim);
  assert.ok(file.includes('L_FOOT'));
  assert.ok(file.includes('GROUND'));
  const z = Buffer.alloc(4);
  z.writeFloatLE(0.25);
  assert.ok(file.includes(z));
  await assert.rejects(mill.convert(bytes(walk()),
    { emit: ['anim'], anim_constraints: [{ ...constraint, type: 'x' }] }),
  { field: 'anim_constraints' });
  await assert.rejects(mill.convert(bytes(walk()),
    { emit: ['anim'], anim_constraints: [{ ...constraint, targt: 1 }] }),
  { field: 'anim_constraints' });
});

test('wrong options are refused before anything is sent', async () => {
  const nobody = new Bvhmill('127.0.0.1:1');
  for (const [options, field, said] of [
    [{ fsp: 30 }, 'fsp', /no such option; did you mean 'fps'\?/],
    [{ toString: 1 }, 'toString', /no such option/],
    [{ fps: 0 }, 'fps', /must be above 0/],
    [{ fps: '30' }, 'fps', /must be a number/],
    [{ fps: NaN }, 'fps', /must be a number/],
    [{ figure: 1.5 }, 'figure', /must be a whole number/],
    [{ tpose_frame: 2 ** 53 }, 'tpose_frame', /must be a whole number/],
    [{ up: 'Y' }, 'up', /must be one of x, y, z/],
    [{ units: 'km' }, 'units', /m, cm, mm/],
    [{ strict: 'yes' }, 'strict', /true or false/],
    [{ drop: 'Head' }, 'drop', /an array/],
    [{ drop: [1] }, 'drop', /a string, each/],
    [{ rename: ['a'] }, 'rename', /an object/],
    [{ rename: { a: 1 } }, 'rename', /a string, each/],
    [{ frames: [1] }, 'frames', /2 to 3 values/],
    [{ frames: [5, 5] }, 'frames', /a begin and a later end/],
    [{ frames: [0, 5, 0] }, 'frames', /step/],
    [{ trim: [2, 1] }, 'trim', /a begin and a later end/],
    [{ npz_arrays: [] }, 'npz_arrays', /one array at least/],
    [{ csv_arrays: [] }, 'csv_arrays', /one array at least/],
    [{ severities: { A: 'bad' } }, 'severities', /one of error, warning/],
    [{ anim_priority: 7 }, 'anim_priority', /from -1 to 6/],
    [{ anim_loop: [1] }, 'anim_loop', /2 values/],
    [{ emit: ['fbx'] }, 'emit', /'fbx' is no format/],
    [{ emit: [] }, 'emit', /one format at least/],
    [{ emit: [{ format: 'csv', fps: 3 }] }, 'emit', /csv has no option 'fps'/],
    [{ anim_loop: true }, 'anim_loop', /none of the outputs/],
    [{ format: 'fbx' }, 'format', /one of bvh, anim/],
  ]) {
    await assert.rejects(
      nobody.convert(new Uint8Array(), { emit: ['npz'], ...options }),
      (error) => {
        assert.strictEqual(error.name, 'BvhmillError');
        assert.strictEqual(error.code, 'INVALID_ARGUMENT');
        assert.strictEqual(error.field, field);
        assert.match(error.message, said);
        return true;
      });
  }
  nobody.close();
});

test('errors of the server name options', async () => {
  for (const [options, field] of [
    [{ to_units: 'm' }, 'to_units'], [{ joint_map: 'nobody' }, 'joint_map'],
    [{ at_origin: true, in_place: true }, 'at_origin'],
    [{ ignore: ['NO_CODE'] }, 'ignore'],
    [{ emit: ['anim'], anim_map: 'nobody' }, 'anim_map'],
  ]) {
    await assert.rejects(
      mill.convert(bytes(walk()), { emit: ['bvh'], ...options }), (error) => {
        assert.strictEqual(error.field, field, error.message);
        assert.ok(!error.message.includes('options.'), error.message);
        return true;
      });
  }
});
