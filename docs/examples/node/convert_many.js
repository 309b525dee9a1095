// Converts any number of BVH files, of any size, over one stream.
//
//     cd docs/examples/node && npm install
//     node convert_many.js HOST:PORT TAKE.bvh...
'use strict';

const fs = require('fs');
const { once } = require('events');
const { grpc, v1, arrayOf } = require('./bvhmill');

const CHUNK_BYTES = 256 * 1024;

// Writes a frame; waits when the server, or the network, is behind.
async function send(stream, frame) {
  if (!stream.write(frame)) await once(stream, 'drain');
}

// open (begin chunk* end)*
async function sendAll(stream, files) {
  await send(stream, {
    open: { options: { outputs: [{ positions: {} }] } },
  });
  for (const file of files) {
    await send(stream, { begin: { key: file, source: {} } });
    const chunks = fs.createReadStream(file, { highWaterMark: CHUNK_BYTES });
    for await (const chunk of chunks) await send(stream, { chunk });
    await send(stream, { end: {} });
  }
  stream.end();
}

function report(result, data) {
  if (result.status.code !== grpc.status.OK) {
    console.error(`${result.key}: ${result.status.message}`);
    process.exitCode = 1;
    return;
  }
  const { shape } = arrayOf(result.outputs[0], data);
  console.log(`${result.key}: positions (${shape})`);
}

function main() {
  const [server, ...files] = process.argv.slice(2);
  const client = new v1.ClipService(server, grpc.credentials.createInsecure());
  const stream = client.convertClips();
  const arriving = new Map(); // key -> chunks of its output
  stream.on('data', ({ frame, begin, output_chunk: chunk, result }) => {
    if (frame === 'begin') {
      arriving.set(begin.key, []);
    } else if (frame === 'output_chunk') {
      arriving.get(chunk.key).push(chunk.data);
    } else {
      const data = Buffer.concat(arriving.get(result.key) ?? []);
      arriving.delete(result.key);
      report(result, data);
    }
  });
  stream.on('error', (error) => {
    console.error(`the stream failed: ${error.message}`);
    process.exitCode = 1;
  });
  sendAll(stream, files);
}

main();
