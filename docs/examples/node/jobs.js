// Has a server convert takes as a durable job, and writes the files.
//
//     node docs/examples/node/jobs.js OUT_FOLDER TAKE.bvh... \
//       [--server HOST:PORT]
//
// The server works on while this program does not run.
//
// Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the server
// failed.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { Bvhmill, BvhmillError } = require('@bvhmill/client');

// True if all takes are converted.
async function convert(mill, folder, files) {
  const { job, errors } = await mill.jobs.submit(files, { emit: ['npz'] });
  for (const error of Object.values(errors)) console.error(error.message);
  console.log(`${job.name}: ${job.items.total} takes`);
  await mill.jobs.wait(job, { onProgress({ state, items }) {
    console.error(`${state}: ${items.ok + items.failed} of ${items.total}`);
  } });
  let isGood = Object.keys(errors).length === 0;
  for await (const { key, conversion, error } of mill.jobs.results(job)) {
    if (error) {
      console.error(error.message);
      isGood = false;
      continue;
    }
    const file = path.join(folder, `${path.basename(key, '.bvh')}.npz`);
    fs.writeFileSync(file, conversion.outputs.npz.data, { flag: 'wx' });
    console.log(file);
  }
  await mill.jobs.delete(job);
  return isGood;
}

function readArguments() {
  try {
    const { values, positionals: [folder, ...files] } = parseArgs({
      allowPositionals: true,
      options: { server: { type: 'string', default: '127.0.0.1:7450' } },
    });
    if (files.length === 0) throw new TypeError('no TAKE.bvh');
    return { server: values.server, folder, files };
  } catch (error) {
    console.error(`jobs.js: ${error.message}`);
    return process.exit(2);
  }
}

async function main() {
  const { server, folder, files } = readArguments();
  const mill = new Bvhmill(server);
  try {
    fs.mkdirSync(folder, { recursive: true });
    process.exitCode = await convert(mill, folder, files) ? 0 : 1;
  } catch (error) {
    console.error(error.message);
    process.exitCode = error instanceof BvhmillError ? 3 : 1;
  } finally {
    mill.close();
  }
}

main();
