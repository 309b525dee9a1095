// Converts any number of BVH files, of any size, over one stream. A bad file
// fails alone; the others go on. If the server goes away, the results that came
// before have been printed.
//
//     npm install --prefix docs/examples/node
//     node docs/examples/node/convert_many.js TAKE.bvh... \
//       [--server HOST:PORT] [--options JSON]
//
// Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the stream
// failed.
'use strict';

const fs = require('fs');
const { once } = require('events');
const {
  grpc, v1, checked, describe, faults, readArguments,
} = require('./bvhmill');

const CHUNK_BYTES = 256 * 1024;

// Writes a frame; waits while the server, or the network, is slower than we
// are. Throws if the stream has failed.
async function send(stream, frame, gone) {
  gone.throwIfAborted();
  const more = stream.write(checked('ConvertClipsRequest', frame));
  if (!more) await once(stream, 'drain', { signal: gone });
}

// begin chunk* end. A take that cannot be read is given up.
async function sendTake(stream, file, gone) {
  await send(stream, { begin: { key: file, source: {} } }, gone);
  let abandon = false;
  try {
    const chunks = fs.createReadStream(file, { highWaterMark: CHUNK_BYTES });
    for await (const chunk of chunks) await send(stream, { chunk }, gone);
  } catch (error) {
    gone.throwIfAborted();
    console.error(`${file}: ${error.message}`);
    abandon = true;
  }
  await send(stream, { end: { abandon } }, gone);
}

// open (begin chunk* end)*
async function sendAll(stream, files, options, gone) {
  await send(stream, { open: { options } }, gone);
  for (const file of files) await sendTake(stream, file, gone);
  stream.end();
}

// Prints the outputs of a take, or its faults; true if it is good.
function report(result, parts) {
  if (result.status.code !== grpc.status.OK) {
    console.error(faults(result.key, result).join('\n'));
    return false;
  }
  for (const [i, output] of result.outputs.entries()) {
    const data = Buffer.concat(parts[i]);
    console.log(`${result.key}: ${describe(output, data)}`);
  }
  return true;
}

// Resolves when the stream ends, and throws if it fails. `progress` is how far
// it came: {good, waiting}, a count of takes and a set of keys.
async function receiveAll(stream, progress) {
  const arriving = new Map(); // key -> chunks of each of its outputs
  stream.on('data', ({ frame, begin, output_chunk: chunk, result }) => {
    if (frame === 'begin') {
      arriving.set(begin.key, begin.outputs.map(() => []));
    } else if (frame === 'output_chunk') {
      arriving.get(chunk.key)[chunk.output_index].push(chunk.data);
    } else {
      if (report(result, arriving.get(result.key))) ++progress.good;
      arriving.delete(result.key);
      progress.waiting.delete(result.key);
    }
  });
  await once(stream, 'end');
}

// The exit status.
async function convertAll(client, files, options) {
  const stream = client.convertClips();
  const gone = new AbortController();
  stream.on('error', (error) => gone.abort(error));
  const progress = { good: 0, waiting: new Set(files) };
  try {
    await Promise.all([
      receiveAll(stream, progress),
      sendAll(stream, files, options, gone.signal),
    ]);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    console.error(`the stream failed: ${gone.signal.reason.message}`);
    console.error(`${progress.good} of ${files.length} takes are converted; ` +
      `without a result: ${[...progress.waiting].join(', ')}`);
    return 3;
  }
  return progress.good === files.length ? 0 : 1;
}

async function main() {
  const { server, files, options } = readArguments();
  const client = new v1.ClipService(server, grpc.credentials.createInsecure());
  const takes = [...new Set(files)]; // keys of a stream are unique
  process.exitCode = await convertAll(client, takes, options);
  client.close();
}

main();
