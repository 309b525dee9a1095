// Converts BVH files, a call for each, and prints where their joints are. A bad
// file is reported, and the others go on.
//
//     npm install --prefix docs/examples/node
//     node docs/examples/node/convert.js TAKE.bvh... \
//       [--server HOST:PORT] [--options JSON]
//
// Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the server did
// not answer.
'use strict';

const fs = require('fs');
const path = require('path');
const { promisify } = require('util');
const {
  grpc, v1, checked, arrayOf, describe, faults, readArguments,
} = require('./bvhmill');

const { status } = grpc;
// With these the next take would fail, too.
const HOPELESS = [
  status.UNAVAILABLE, status.UNAUTHENTICATED, status.PERMISSION_DENIED,
];

// True if the error of a call says nothing about other takes.
function ofTake(error) {
  return error.code in status && !HOPELESS.includes(error.code);
}

function caller(server) {
  const client = new v1.ClipService(server, grpc.credentials.createInsecure());
  return {
    convert: promisify(client.convertClip).bind(client),
    close: () => client.close(),
  };
}

function print(file, { info, outputs }) {
  console.log(`${file}: ${info.frames} frames of ${info.joint_count} joints`);
  for (const output of outputs) console.log(describe(output));
  const positions = outputs.find(({ id }) => id === 'positions');
  if (positions !== undefined) printJoints(info, arrayOf(positions));
}

function printJoints(info, { values }) {
  const joints = info.joints.filter((joint) => !joint.end_site);
  for (let j = 0; j < Math.min(5, joints.length); ++j) {
    const [x, y, z] = values.subarray(3 * j, 3 * j + 3);
    console.log(`frame 0, ${joints[j].name}: ${x.toFixed(2)} ${y.toFixed(2)} ` +
      `${z.toFixed(2)}`);
  }
}

// False if the take failed; throws if every take would.
async function convert(client, file, options) {
  const source = { display_name: path.basename(file) };
  try {
    source.data = fs.readFileSync(file);
  } catch (error) {
    console.error(`${file}: ${error.message}`);
    return false;
  }
  const request = checked('ConvertClipRequest', { source, options });
  try {
    const { result } = await client.convert(request);
    if (result.status.code !== status.OK) {
      for (const line of faults(file, result)) console.error(line);
      return false;
    }
    print(file, result);
    return true;
  } catch (error) {
    if (!ofTake(error)) throw error;
    console.error(`${file}: ${status[error.code]}: ${error.details}`);
    return false;
  }
}

// The exit status.
async function convertAll(client, files, options) {
  let good = 0;
  for (const [i, file] of files.entries()) {
    try {
      if (await convert(client, file, options)) ++good;
    } catch (error) {
      if (!(error.code in status)) throw error;
      console.error(
        `the server failed: ${status[error.code]}: ${error.details}`);
      console.error(`${good} of ${files.length} takes are converted; ` +
        `not done: ${files.slice(i).join(', ')}`);
      return 3;
    }
  }
  return good === files.length ? 0 : 1;
}

async function main() {
  const { server, files, options } = readArguments();
  const client = caller(server);
  process.exitCode = await convertAll(client, files, options);
  client.close();
}

main();
