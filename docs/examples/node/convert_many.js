// Converts any number of BVH files, of any size, over one stream. A bad file
// fails alone; the others go on. If the server goes away, what came before has
// been printed.
//
//     npm install --prefix docs/examples/node
//     node docs/examples/node/convert_many.js TAKE.bvh... [--server HOST:PORT]
//
// Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the stream
// failed.
'use strict';

const fs = require('fs');
const { once } = require('events');
const { parseArgs } = require('util');
const { grpc, v1, checked, arrayOf, faults } = require('./bvhmill');

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
async function sendAll(stream, files, gone) {
  const options = { outputs: [{ positions: {} }] };
  await send(stream, { open: { options } }, gone);
  for (const file of files) await sendTake(stream, file, gone);
  stream.end();
}

// Prints what became of a take; true if it is good.
function report(result, data) {
  if (result.status.code !== grpc.status.OK) {
    const { key, status } = result;
    const lines = faults(key, result.report);
    if (lines.length === 0) lines.push(`${key}: ${status.message}`);
    console.error(lines.join('\n'));
    return false;
  }
  const { shape } = arrayOf(result.outputs[0], data);
  console.log(`${result.key}: positions (${shape})`);
  return true;
}

// Resolves when the stream ends, and throws if it fails. `progress` is how far
// it came: {good, waiting}, a count of takes and a set of keys.
async function receiveAll(stream, progress) {
  const arriving = new Map(); // key -> chunks of its output
  stream.on('data', ({ frame, begin, output_chunk: chunk, result }) => {
    if (frame === 'begin') {
      arriving.set(begin.key, []);
    } else if (frame === 'output_chunk') {
      arriving.get(chunk.key).push(chunk.data);
    } else {
      const data = Buffer.concat(arriving.get(result.key) ?? []);
      arriving.delete(result.key);
      progress.waiting.delete(result.key);
      if (report(result, data)) ++progress.good;
    }
  });
  await once(stream, 'end');
}

// The exit status.
async function convertAll(client, files) {
  const stream = client.convertClips();
  const gone = new AbortController();
  stream.on('error', (error) => gone.abort(error));
  const progress = { good: 0, waiting: new Set(files) };
  try {
    await Promise.all([
      receiveAll(stream, progress), sendAll(stream, files, gone.signal),
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
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { server: { type: 'string', default: '127.0.0.1:7450' } },
  });
  const files = [...new Set(positionals)]; // keys of a stream are unique
  if (files.length === 0) {
    console.error('convert_many.js: no TAKE.bvh');
    process.exitCode = 2;
    return;
  }
  const client = new v1.ClipService(
    values.server, grpc.credentials.createInsecure());
  process.exitCode = await convertAll(client, files);
  client.close();
}

main();
