// Servers, takes and the command line for tests. BVHMILL_BIN is the folder of
// the programs.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const PACKAGE = join(here, '..');
export const ROOT = resolve(PACKAGE, process.env.CHECKOUT ?? '../..');
const BIN = process.env.BVHMILL_BIN ?? join(ROOT, 'build', 'release', 'bin');

// Starts a server. `http` is the address of its HTTP API, if it has one.
export async function startServer(...flags) {
  const place = flags.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const jobs = flags.includes('--data-dir') ? [] : ['--data-dir', 'none'];
  const child = spawn(join(BIN, 'bvhmilld'), [...place, ...jobs, ...flags],
    { stdio: ['ignore', 'pipe', 'ignore'] });
  const server = { async stop(signal = 'SIGTERM') {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  } };
  for await (const line of createInterface(child.stdout)) {
    const [, kind, address] = /^(listening|http) on (\S+)/.exec(line) ?? [];
    if (kind === 'listening') server.address = address;
    if (kind === 'http') server.http = `http://${address}`;
    if (server.address && (server.http || !flags.includes('--http'))) {
      return server;
    }
  }
  throw new Error('the server did not start');
}

export function makeFolder() {
  return mkdtempSync(join(tmpdir(), 'bvhmill-'));
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
}

// Writes sample takes to `folder`.
export function makeTakes(folder) {
  execFileSync(join(BIN, 'bvhmill_samples'), [folder]);
}

// The output of the command line without a server.
export function convertHere(take, folder, format, ...flags) {
  execFileSync(join(BIN, 'bvhmill'), ['convert', take, '-o', folder, '--emit',
    format, '--local', '--force', ...flags], { stdio: 'ignore' });
  const stem = basename(take).replace(/\.[a-z]+$/, '');
  const isArray = ['positions', 'rotations', 'velocities'].includes(format);
  return isArray ? npyData(readFileSync(join(folder, `${stem}.${format}.npy`)))
    : readFileSync(join(folder, `${stem}.${format}`));
}

// The numbers of a .npy file, as bytes.
export function npyData(file) {
  return file.subarray(10 + file.readUInt16LE(8));
}

// The line of `bvhmill validate --json` for a take.
export function validateHere(take) {
  try {
    return JSON.parse(execFileSync(join(BIN, 'bvhmill'),
      ['validate', '--local', '--json', take],
      { stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch (error) {
    return JSON.parse(error.stdout); // The exit status of a broken clip is 1.
  }
}

// A line of a token file.
export function hashToken(name, token) {
  return execFileSync(join(BIN, 'bvhmilld'), ['--hash-token', name],
    { input: token, encoding: 'utf8' });
}

// The bytes of an output.
export function bytesOf({ data }) {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

// Writes a take of `frames` frames of many joints. Returns its path.
export function writeLargeTake(path, frames, joints = 50) {
  const chain = (n) => n === 0
    ? 'End Site\n{\nOFFSET 0 1 0\n}\n'
    : `JOINT j${n}\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation ` +
      `Yrotation\n${chain(n - 1)}}\n`;
  const row = Array.from({ length: 6 + 3 * joints },
    (_, i) => (i % 7 - 3) / 100).join(' ');
  const rows = `${row}\n`.repeat(frames);
  writeFileSync(path, 'HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 ' +
    'Xposition Yposition Zposition Zrotation Xrotation Yrotation\n' +
    `${chain(joints)}}\nMOTION\nFrames: ${frames}\nFrame Time: 0.0333333\n` +
    rows);
  return path;
}

// Reads an async iterable to its end.
export async function all(iterable) {
  const values = [];
  for await (const value of iterable) values.push(value);
  return values;
}
