// Converts one BVH file and prints where its first joints are.
//
//     cd docs/examples/node && npm install
//     node convert.js TAKE.bvh [HOST:PORT]
'use strict';

const fs = require('fs');
const path = require('path');
const { grpc, v1, arrayOf } = require('./bvhmill');

function explain(client, source, error) {
  console.error(`${grpc.status[error.code]}: ${error.details}`);
  if (error.code !== grpc.status.INVALID_ARGUMENT) process.exit(1);
  client.validateClip({ source }, (failure, response) => {
    if (failure) throw failure;
    for (const issue of response.result.report.issues) {
      const { code, message, severity } = issue;
      const { line, column } = issue.location;
      console.error(`${line}:${column}: ${severity}: ${code}: ${message}`);
    }
    process.exit(1);
  });
}

function main() {
  const [file, server = '127.0.0.1:7450'] = process.argv.slice(2);
  const client = new v1.ClipService(server, grpc.credentials.createInsecure());
  const source = {
    data: fs.readFileSync(file),
    display_name: path.basename(file),
  };
  const request = { source, options: { outputs: [{ positions: {} }] } };
  client.convertClip(request, (error, response) => {
    if (error) {
      explain(client, source, error);
      return;
    }
    const { info, outputs } = response.result;
    const { shape, axes, values } = arrayOf(outputs[0]);
    console.log(`${info.frames} frames of ${info.joint_count} joints;`,
      `positions (${axes}) = (${shape})`);
    const joints = info.joints.filter((joint) => !joint.end_site);
    for (let j = 0; j < Math.min(5, joints.length); ++j) {
      const [x, y, z] = values.subarray(3 * j, 3 * j + 3);
      console.log(
        `frame 0, ${joints[j].name}: ${x.toFixed(2)} ${y.toFixed(2)} ` +
        `${z.toFixed(2)}`);
    }
  });
}

main();
