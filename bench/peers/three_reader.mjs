// Reads a take by three.js and computes the places of its joints in each frame,
// as a page does that plays it. Prints the seconds; with a second argument
// writes the places to that file: frames x joints x 3 floats.

import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , take, out] = process.argv;
const three = pathToFileURL(`${process.env.NODE_PATH}/three/`).href;
const { AnimationMixer, Group, LoopOnce } = await import(
  `${three}build/three.module.js`);
const { BVHLoader } = await import(
  `${three}examples/jsm/loaders/BVHLoader.js`);

const begin = performance.now();
const { skeleton, clip } = new BVHLoader().parse(readFileSync(take, 'utf8'));
const joints = skeleton.bones.filter((bone) => bone.name !== 'ENDSITE');
const group = new Group();
group.add(skeleton.bones[0]);
const mixer = new AnimationMixer(skeleton.bones[0]);
const action = mixer.clipAction(clip).setLoop(LoopOnce);
action.clampWhenFinished = true;  // Else the last frame is the first one.
action.play();
const times = clip.tracks[0].times;
const places = new Float32Array(times.length * joints.length * 3);
let at = 0;
for (const time of times) {
  mixer.setTime(time);
  group.updateMatrixWorld(true);
  for (const joint of joints) {
    places.set(joint.matrixWorld.elements.slice(12, 15), at);
    at += 3;
  }
}
console.log((performance.now() - begin) / 1000);
if (out) writeFileSync(out, places);
