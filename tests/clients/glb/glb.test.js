// The format glb against programs that are not ours: the validator of Khronos,
// and the loader and the player of three.js.
'use strict';

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { pathToFileURL } = require('node:url');
const validator = require('gltf-validator');
const { makeFolder, makeTakes } = require('../node/server_process');

const BIN = process.env.BVHMILL_BIN;
const folder = makeFolder();
const takes = ['walk_cycle', 'hand_wave', 'mixed_orders', 'six_channels',
  'static_pose', 'two_dancers'];

let three;
let GLTFLoader;

// Modules are not searched in NODE_PATH.
function load(file) {
  return import(pathToFileURL(path.join(process.env.NODE_PATH, file)));
}

before(async () => {
  makeTakes(folder);
  three = await load('three/build/three.module.js');
  ({ GLTFLoader } =
    await load('three/examples/jsm/loaders/GLTFLoader.js'));
});

after(() => fs.rmSync(folder, { recursive: true }));

// The bytes of the .glb of a take.
function convert(take, ...flags) {
  const out = fs.mkdtempSync(path.join(folder, 'out-'));
  execFileSync(path.join(BIN, 'bvhmill'),
    ['convert', path.join(folder, `${take}.bvh`), '-o', out, '--local',
      '--emit', 'positions,glb', ...flags], { stdio: 'ignore' });
  return {
    glb: fs.readFileSync(path.join(out, `${take}.glb`)),
    positions: readNpy(path.join(out, `${take}.positions.npy`)),
  };
}

// The numbers and the shape of an array of float32.
function readNpy(file) {
  const bytes = fs.readFileSync(file);
  const start = 10 + bytes.readUInt16LE(8);
  const head = bytes.subarray(10, start).toString('latin1');
  const shape = /'shape': \(([^)]*)\)/.exec(head)[1].split(',').map(Number);
  const numbers = new Float32Array(
    bytes.buffer.slice(bytes.byteOffset + start,
      bytes.byteOffset + bytes.length));
  return { shape, numbers };
}

async function parse(glb) {
  const buffer = glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.length);
  return new GLTFLoader().parseAsync(buffer, '');
}

// The objects of the joints, in the order of the file.
async function jointsOf(gltf) {
  return gltf.parser.getDependencies('node');
}

// Plays the frames and returns the largest distance to the positions, in parts
// of the height of the figure. This is in place of pictures: SkeletonHelper
// draws a line between the places of a bone and its parent, and these are
// compared for every joint and every frame.
async function errorOf({ glb, positions }) {
  const gltf = await parse(glb);
  const joints = await jointsOf(gltf);
  const [frames, count] = positions.shape;
  assert.equal(joints.length, count);
  const { frame_time: frameTime } = gltf.scene.userData;
  const mixer = new three.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[0]);
  action.setLoop(three.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const place = new three.Vector3();
  let worst = 0;
  let [low, high] = [Infinity, -Infinity];
  for (let frame = 0; frame < frames; ++frame) {
    mixer.setTime(frame * frameTime);
    gltf.scene.updateMatrixWorld(true);
    for (let joint = 0; joint < count; ++joint) {
      const at = 3 * (frame * count + joint);
      const wanted = positions.numbers.subarray(at, at + 3);
      place.setFromMatrixPosition(joints[joint].matrixWorld);
      worst = Math.max(worst, Math.hypot(place.x - wanted[0],
        place.y - wanted[1], place.z - wanted[2]));
      low = Math.min(low, wanted[1]);
      high = Math.max(high, wanted[1]);
    }
  }
  return worst / (high - low);
}

for (const take of takes) {
  test(`the validator finds no fault in ${take}`, async () => {
    for (const flags of [[], ['--end-sites'],
      ['--glb-tolerance-degrees', '0', '--units', 'cm', '--up', 'z']]) {
      const { glb } = convert(take, ...flags);
      const report = await validator.validateBytes(new Uint8Array(glb));
      const faults = report.issues.messages.filter((m) => m.severity < 2);
      assert.deepEqual(faults, []);
    }
  });

  test(`three.js plays the positions of ${take}`, async () => {
    const every = convert(take, '--glb-tolerance-degrees', '0',
      '--glb-tolerance-percent', '0');
    assert.ok(await errorOf(every) < 1e-5);
    const few = convert(take);
    assert.ok(await errorOf(few) < 1e-2);
  });
}

test('few keys are enough for a walk', () => {
  const every = convert('walk_cycle', '--glb-tolerance-degrees', '0');
  const few = convert('walk_cycle');
  assert.ok(few.glb.length < every.glb.length);
});

test('lengths are metres and Y is up if they are known', async () => {
  const file = convert('walk_cycle');
  const metres = convert('walk_cycle', '--units', 'cm', '--up', 'y');
  const sizes = [];
  for (const { glb } of [file, metres]) {
    const gltf = await parse(glb);
    const joints = await jointsOf(gltf);
    sizes.push(joints[1].position.length());
  }
  assert.ok(Math.abs(sizes[0] / sizes[1] - 100) < 1e-3);
  assert.equal((await parse(metres.glb)).scene.userData.unit, 'm');
  assert.equal((await parse(file.glb)).scene.userData.unit, 'unknown');
});

test('joints are bones', async () => {
  const { glb } = convert('two_dancers');
  const joints = await jointsOf(await parse(glb));
  assert.ok(joints.every((joint) => joint.isBone));
});

test('names are those of the file', async () => {
  const { glb } = convert('walk_cycle', '--rename', 'Hips=腰.1');
  const gltf = await parse(glb);
  assert.equal(gltf.parser.json.nodes[0].name, '腰.1');
});

test('humanoids of VRM have their bones', async () => {
  const { glb } = convert('walk_cycle', '--names-to', 'vrm');
  const gltf = await parse(glb);
  const { humanBones } =
    gltf.parser.json.extensions.VRMC_vrm_animation.humanoid;
  const names = gltf.parser.json.nodes.map((node) => node.name);
  for (const [bone, { node }] of Object.entries(humanBones)) {
    assert.equal(names[node], bone);
  }
  const report = await validator.validateBytes(new Uint8Array(glb));
  assert.equal(report.issues.numErrors + report.issues.numWarnings, 0);
});
