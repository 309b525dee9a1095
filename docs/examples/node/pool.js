// Checks all BVH files of a folder in this process, one worker for each core:
//
//   node docs/examples/node/pool.js build/takes
//
// Each line of the output is the verdict of a file. The engine is the package
// bvhmill: there is no server.
'use strict';

const { readFile, readdir } = require('node:fs/promises');
const { availableParallelism } = require('node:os');
const path = require('node:path');
const { worker } = require('bvhmill');

// Each worker takes the next file when it is done with one.
async function validateAll(files, workers, show) {
  const queue = files.values();
  await Promise.all(workers.map(async (engine) => {
    for (const file of queue) {
      try {
        const { report } = await engine.validate(await readFile(file));
        show(file, report.verdict, report.issues);
      } catch (error) {
        show(file, error.message, []);
      }
    }
  }));
}

async function main(folder) {
  const files = (await readdir(folder, { recursive: true }))
    .filter((name) => /\.bvh(\.gz)?$/.test(name)).sort()
    .map((name) => path.join(folder, name));
  const workers = Array.from({ length: availableParallelism() }, () => worker());
  await validateAll(files, workers, (file, verdict, issues) => {
    console.log(`${file}: ${verdict}`);
    for (const { message, location } of issues) {
      console.log(`  ${location.line ?? '-'}: ${message}`);
    }
  });
}

main(process.argv[2] ?? '.');
