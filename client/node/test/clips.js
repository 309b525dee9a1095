// Clips, and what the command line says about them. BVHMILL_BIN states the
// folder of the programs, BVHMILL_WASM the module, BVHMILL_DATA a folder of
// further clips.
//
// Positions are compared bit by bit if SSE4_BVHMILL states a command that runs
// `bvhmill` on a CPU without AVX: "qemu-x86_64 -cpu Westmere build/bin/bvhmill".

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const wasm =
    process.env.BVHMILL_WASM ?? join(root, 'build/wasm/bvhmill.wasm');
const bin = process.env.BVHMILL_BIN ?? join(root, 'build/release/bin');
export const bvhmill = join(bin, 'bvhmill');
export const sse4 = process.env.SSE4_BVHMILL?.split(' ');

const MUTATED = Number(process.env.MUTATED_CLIPS ?? 300);
// Larger clips are cut before they are mutated.
const MOST_MUTATED_BYTES = 40_000;

// A folder that is removed at the end of the process.
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'bvhmill-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  return folder;
}

// Writes sample takes to a folder.
export function makeSamples(folder) {
  execFileSync(join(bin, 'bvhmill_samples'), [folder]);
}

// mulberry32: random(n) returns whole numbers below n.
export function randomNumbers(seed) {
  return (n) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const WORDS = [
  'HIERARCHY', 'ROOT', 'JOINT', 'End Site', 'OFFSET', 'CHANNELS 3', 'MOTION',
  'Frames:', 'Frame Time:', '{', '}', '\n', '\r', '\t', '\0', 'nan', '-inf',
  '1e39', '-', '1.5.', '99999999999999999999', '\xff\xfe', 'Zrotation',
];

// The bytes of a clip with some faults.
export function mutated(bytes, random) {
  let text = bytes.subarray(0, MOST_MUTATED_BYTES).toString('latin1');
  for (let faults = 1 + random(4); faults > 0; --faults) {
    const at = random(text.length + 1);
    const end = Math.min(text.length, at + random(random(4) ? 8 : 2000));
    const word = WORDS[random(WORDS.length)];
    switch (random(6)) {
      case 0: text = text.slice(0, at) + text.slice(end); break;
      case 1: text = text.slice(0, end) + text.slice(at); break;
      case 2: text = text.slice(0, at) + word + text.slice(end); break;
      case 3: text = text.slice(0, at) + word + text.slice(at); break;
      case 4:
        text = text.slice(0, at) + String.fromCharCode(random(256)) +
            text.slice(at + 1);
        break;
      default: text = random(4) ? text : text.slice(0, at);
    }
  }
  return Buffer.from(text, 'latin1');
}

// A small clip whose positions need more than 4 GiB.
export function manyPoses() {
  const joint = 'JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n';
  return Buffer.from(
      'HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\n' +
      joint.repeat(19_000) + '}\nMOTION\nFrames: 20000\nFrame Time: 0.01\n' +
      '0\n'.repeat(20_000));
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(bvh|anim)$/.test(entry.name))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .filter((file) => !isPacked(readFileSync(file)))
      .sort();
}

// The command line unpacks gzip and zstd by content; the engine itself reads
// what is unpacked.
function isPacked(bytes) {
  return [[0x1f, 0x8b], [0x28, 0xb5, 0x2f, 0xfd]].some(
      (magic) => magic.every((byte, i) => bytes[i] === byte));
}

// Copies all clips, and mutated ones, to a folder. Returns their paths, which
// have different base names.
export function makeClips(folder) {
  const samples = join(folder, 'samples');
  makeSamples(samples);
  const from = [samples, join(root, 'tests/data/cases'),
                join(root, 'tests/data/malformed')];
  if (process.env.BVHMILL_DATA) from.push(process.env.BVHMILL_DATA);
  else console.log('BVHMILL_DATA is not set: there are no real clips');
  const sources = from.flatMap(filesIn);

  const clips = join(folder, 'clips');
  mkdirSync(clips);
  const write = (name, bytes) => {
    const file = join(clips, name);
    writeFileSync(file, bytes);
    return file;
  };
  const made = sources.map((source, i) => write(
      `${String(i).padStart(4, '0')}-${basename(source)}`,
      readFileSync(source)));
  const random = randomNumbers(1);
  const texts = made.filter((file) => file.endsWith('.bvh'));
  for (let i = 0; i < MUTATED; ++i) {
    const source = readFileSync(texts[random(texts.length)]);
    made.push(write(`mutated-${i}.bvh`, mutated(source, random)));
  }
  return made;
}

// The options of the engine for a clip.
export function optionsFor(file) {
  return { from: file.endsWith('.anim') ? 'anim' : 'bvh' };
}

// Runs a command of bvhmill on the clips that makeClips made.
function run(program, args, folder, files) {
  const list = join(folder, 'list');
  writeFileSync(list, files.map((file) => `${basename(file)}\n`).join(''));
  const { stdout, error } = spawnSync(
      program[0], [...program.slice(1), ...args, '--filelist', list],
      { cwd: join(folder, 'clips'), encoding: 'utf8', maxBuffer: 1 << 30 });
  if (error) throw error;
  return stdout;
}

// The lines of `bvhmill validate --json` by base name.
export function validated(folder, files) {
  const lines = run(sse4 ?? [bvhmill], ['validate', '--json'], folder, files);
  return new Map(lines.trim().split('\n').map((line) => JSON.parse(line))
      .map((line) => [line.file, line]));
}

export const EMIT = ['positions', 'bvh', 'values', 'anim'];

// Converts the clips. Returns a function that reads the outputs of a file: an
// object by format.
export function converted(folder, files) {
  const out = join(folder, 'out');
  run(sse4 ?? [bvhmill], [
    'convert', '-o', out, '--emit', EMIT.join(','), '--anim-accept-odd',
  ], folder, files);
  return (file) => {
    const made = {};
    const stem = join(out, basename(file).replace(/\.(bvh|anim)$/, ''));
    for (const format of EMIT) {
      const array = format === 'positions' || format === 'values';
      const path = `${stem}.${format}${array ? '.npy' : ''}`;
      if (!existsSync(path)) continue;
      const bytes = readFileSync(path);
      made[format] = array ? floatsOf(bytes) : bytes;
    }
    return made;
  };
}

// The floats of an .npy file.
function floatsOf(npy) {
  const begin = 10 + npy.readUInt16LE(8);
  return new Float32Array(
      npy.buffer.slice(npy.byteOffset + begin, npy.byteOffset + npy.length));
}
