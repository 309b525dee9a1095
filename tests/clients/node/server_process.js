// Runs bvhmilld for tests, in its own process and on a free port.
'use strict';

const { execFileSync, spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');

const ROOT = path.join(__dirname, '..', '..', '..');
const BIN = process.env.BVHMILL_BIN;

// Starts a server. Returns {address, stop, kill}; stop fails if the exit
// status is not 0.
async function startServer(...flags) {
  const server = spawn(path.join(BIN, 'bvhmilld'),
    ['--listen', '127.0.0.1:0', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of readline.createInterface(server.stdout)) {
    if (!line.startsWith('listening on ')) continue;
    return {
      address: line.split(' ')[2],
      async stop() {
        server.kill('SIGTERM');
        const [code] = await once(server, 'exit');
        if (code !== 0) throw new Error(`the server ended with ${code}`);
      },
      async kill() {
        server.kill('SIGKILL');
        await once(server, 'exit');
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

// Converts a take by the command line without a server. Returns the numbers of
// its positions, which follow the header of the .npy file.
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
  ROOT, startServer, makeFolder, makeTakes, positionsHere, hashToken,
};
