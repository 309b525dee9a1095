// bvhmilld for tests: a process of its own, on a port of its own.
'use strict';

const { execFileSync, spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');

const ROOT = path.join(__dirname, '..', '..', '..');
const BIN = process.env.BVHMILL_BIN;

// {address, stop, kill}; it must end well when it is told to stop.
async function startMill(...flags) {
  const mill = spawn(path.join(BIN, 'bvhmilld'),
    ['--listen', '127.0.0.1:0', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of readline.createInterface(mill.stdout)) {
    if (!line.startsWith('listening on ')) continue;
    return {
      address: line.split(' ')[2],
      async stop() {
        mill.kill('SIGTERM');
        const [code] = await once(mill, 'exit');
        if (code !== 0) throw new Error(`the server ended with ${code}`);
      },
      async kill() {
        mill.kill('SIGKILL');
        await once(mill, 'exit');
      },
    };
  }
  throw new Error('the server did not start');
}

function makeFolder() {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'bvhmill-'));
}

// Writes sample takes to `folder`.
function makeTakes(folder) {
  execFileSync(path.join(BIN, 'bvhmill_samples'), [folder]);
}

// What the command line makes of a take without a server: the numbers of its
// positions, which come after the head of the .npy file.
function positionsHere(take, folder) {
  execFileSync(path.join(BIN, 'bvhmill'),
    ['convert', take, '-o', folder, '--emit', 'positions', '--local'],
    { stdio: 'ignore' });
  const stem = path.basename(take, '.bvh');
  const file = fs.readFileSync(path.join(folder, `${stem}.positions.npy`));
  return file.subarray(10 + file.readUInt16LE(8));
}

// A line of a token file.
function hashToken(name, token) {
  return execFileSync(path.join(BIN, 'bvhmilld'), ['--hash-token', name],
    { input: token, encoding: 'utf8' });
}

module.exports = {
  ROOT, startMill, makeFolder, makeTakes, positionsHere, hashToken,
};
