// The programs of docs/examples/node do what they say.
'use strict';

const assert = require('node:assert');
const { execFileSync, spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { after, before, test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const {
  ROOT, startServer, makeFolder, makeTakes,
} = require('./server_process');
const { checked } =
  require(path.join(ROOT, 'docs', 'examples', 'node', 'bvhmill'));

const EXAMPLES = path.join(ROOT, 'docs', 'examples', 'node');
const folder = makeFolder();
const walk = path.join(folder, 'walk_cycle.bvh');
const wave = path.join(folder, 'hand_wave.bvh');
const broken = path.join(folder, 'broken.bvh');
const missing = path.join(folder, 'missing.bvh');
let server;

function run(name, ...args) {
  return spawnSync(process.execPath,
    [path.join(EXAMPLES, name), ...args, '--server', server.address],
    { encoding: 'utf8' });
}

// The two good takes, and a bad one in each place among them.
function placesOf(bad) {
  return [[bad, walk, wave], [walk, bad, wave], [walk, wave, bad]];
}

before(async () => {
  makeTakes(folder);
  fs.writeFileSync(broken, 'HIERARCHY\nROOT Hips\n{\n  OFSET 0\n');
  server = await startServer();
});

after(async () => {
  await server.stop();
  fs.rmSync(folder, { recursive: true });
});

test('convert.js prints where joints are', () => {
  const ran = run('convert.js', walk);
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(ran.stdout, /walk_cycle\.bvh: 120 frames of \d+ joints$/m);
  assert.match(ran.stdout, /^positions \(frame,joint,xyz\) = \(120,\d+,3\)$/m);
  assert.match(ran.stdout, /^frame 0, Hips: -?\d+\.\d\d -?\d+\.\d\d /m);
});

test('convert.js says where a file is broken', () => {
  const ran = run('convert.js', broken);
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /broken\.bvh:4:3: error: [A-Z_]+: /);
});

test('convert.js goes on after a report that is too long', async () => {
  // The joints alone are more than the answer may hold.
  const faulty = path.join(folder, 'faulty.bvh');
  const joint =
    'JOINT b\n{\nOFFSET 0 1 0\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n';
  fs.writeFileSync(faulty,
    'HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n' +
    joint.repeat(300) + '}\nMOTION\nFrames: 1\nFrame Time: 0.1\nx\n');
  const small = await startServer('--max-unary-response-bytes', '4000');
  const ran = spawnSync(process.execPath,
    [path.join(EXAMPLES, 'convert.js'), faulty,
      path.join(folder, 'static_pose.bvh'), '--server', small.address],
    { encoding: 'utf8' });
  await small.stop();
  assert.equal(ran.status, 1, ran.stderr);
  assert.match(ran.stderr, /faulty\.bvh: OUT_OF_RANGE: .* use ConvertClips/);
  assert.match(ran.stdout, /static_pose\.bvh: 1 frames of/);
});

for (const name of ['convert.js', 'convert_many.js']) {
  const good = name === 'convert.js'
    ? [/walk_cycle\.bvh: 120 frames/, /hand_wave\.bvh: \d+ frames/]
    : [/walk_cycle\.bvh: positions \(frame,joint,xyz\) = \(120,/,
      /hand_wave\.bvh: positions \(/];

  test(`${name} goes on after a bad file`, () => {
    for (const files of placesOf(broken)) {
      const ran = run(name, ...files);
      assert.equal(ran.status, 1, ran.stderr);
      assert.match(ran.stderr, /broken\.bvh:4:3: error: /);
      for (const line of good) assert.match(ran.stdout, line);
    }
  });

  test(`${name} goes on after a file that cannot be read`, () => {
    for (const files of placesOf(missing)) {
      const ran = run(name, ...files);
      assert.equal(ran.status, 1, ran.stderr);
      assert.match(ran.stderr, /missing\.bvh: ENOENT/);
      assert.doesNotMatch(ran.stderr, /error:/); // nor what was sent of it
      for (const line of good) assert.match(ran.stdout, line);
    }
  });

  test(`${name} wants takes`, () => {
    const ran = run(name);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /no TAKE\.bvh/);
  });

  test(`${name} refuses options that do not exist`, () => {
    const ran = run(name, walk, '--options',
      '{"outputs": [{"positions": {"endsites": true}}]}');
    assert.equal(ran.status, 2);
    assert.equal(ran.stdout, '');
    assert.ok(ran.stderr.startsWith(
      `${name}: options.outputs[0].positions.endsites: `), ran.stderr);
  });

  test(`${name} makes the outputs of its options`, () => {
    const ran = run(name, walk, '--options', '{"outputs": [' +
      '{"csv": {"end_sites": true}}, {"rotations": {}}]}');
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /csv: \d{5,} bytes$/m);
    assert.match(ran.stdout, /rotations \(frame,joint,xyzw\) = \(120,/);
  });

  test(`${name} keeps results when the server goes away`, async () => {
    const pipe = path.join(folder, `${name}.pipe`);
    execFileSync('mkfifo', [pipe]);
    const lost = await startServer();
    const program = spawn(process.execPath,
      [path.join(EXAMPLES, name), walk, pipe, wave, '--server', lost.address],
      { stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    program.stderr.on('data', (text) => { stderr += text; });
    const lines = readline.createInterface(program.stdout);
    const [line] = await once(lines, 'line');
    assert.match(line, good[0]);
    await lost.kill();
    const ended = once(program, 'exit');
    await feed(pipe, program);
    const [status] = await ended;
    assert.equal(status, 3, stderr);
    assert.match(stderr, /^the (stream|server) failed: .*UNAVAILABLE/m);
    assert.match(stderr,
      /^1 of 3 takes are converted; [a-z ]+: .*\.pipe, .*wave/m);
  });
}

// Writes to the pipe when the program reads it, if it ever does.
async function feed(pipe, program) {
  while (program.exitCode === null) {
    try {
      const { O_WRONLY, O_NONBLOCK } = fs.constants;
      const end = fs.openSync(pipe, O_WRONLY | O_NONBLOCK);
      fs.writeSync(end, 'HIERARCHY\n');
      fs.closeSync(end);
      return;
    } catch (error) {
      assert.equal(error.code, 'ENXIO'); // there is no reader yet
      await sleep(10);
    }
  }
}

test('checked names the place that does not fit', () => {
  const table = [
    [{ outputs: [{ positions: { endsites: true } }] },
      'options.outputs[0].positions.endsites: PositionsFormat has no ' +
      'such field; did you mean end_sites? It has: layout, ' +
      'end_sites'],
    [{ outputs: [{ positions: { endSites: true } }] },
      'did you mean end_sites?'],
    [{ output: [] }, 'options.output: ConvertOptions has no such field; did ' +
      'you mean outputs? It has: read, '],
    [{ read: { zzz: 1 } }, 'options.read.zzz: ReadOptions has no such field. ' +
      'It has: strict, '],
    [{ read: { up: 'Z' } }, 'options.read.up: Axis has no value ' +
      '"Z"; did you mean AXIS_Z? It has: AXIS_UNSPECIFIED,'],
    [{ read: { up: 7 } }, 'Axis has no value 7. It has: '],
    [{ validation: { severities: { A: 'EROR' } } },
      'options.validation.severities["A"]: Severity has no value'],
    [{ outputs: {} }, 'options.outputs: must be an array'],
    [{ read: [] }, 'options.read: must be an object'],
    [{ edits: { fps: 'fast' } },
      'options.edits.fps: must be a number, not "fast"'],
    [{ edits: { joint_map: 1 } }, 'options.edits.joint_map: must be a string'],
  ];
  for (const [options, said] of table) {
    assert.throws(() => checked('ConvertClipRequest', { options }), (error) => {
      assert.ok(error instanceof TypeError);
      assert.ok(error.message.includes(said), error.message);
      return true;
    });
  }
  assert.throws(
    () => checked('ConvertClipRequest', { source: { data: 'text' } }),
    /source\.data: must be a Buffer/);
  assert.throws(
    () => checked('ConvertClipsRequest', { open: { order: true } }),
    /open\.order: StreamOpen has no such field; did you mean ordered\?/);
});

test('checked lets pass what fits', () => {
  const request = {
    source: { data: Buffer.from('x'), encoding: 'CONTENT_ENCODING_IDENTITY' },
    options: {
      read: { up: 1, units: 0.01, strict: undefined },
      validation: { severities: { A: 'SEVERITY_ERROR' } },
      edits: { drop: ['Head'], rename: { Hips: 'Pelvis' },
        frames: { begin: 1 } },
      outputs: [{ id: 'a', bvh: { decimals: 3 } }],
    },
  };
  assert.equal(checked('ConvertClipRequest', request), request);
});
