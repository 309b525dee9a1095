// The values of one joint over time, for curves: in the worker.

import type { Clip } from 'bvhmill';

import type { Curves } from './curves';
import type { Info } from './take';

const STEP = 512;

const LETTERS: Record<string, string> = {
  X: 'x position', Y: 'y position', Z: 'z position', x: 'x rotation',
  y: 'y rotation', z: 'z rotation', i: 'x scale', j: 'y scale', k: 'z scale',
};

export function curvesOf(clip: Clip, info: Info, node: number, what: string,
                         rate: number, buckets: number): Curves {
  const joint = info.joints[node];
  if (what === 'channels') {
    const from = info.joints.slice(0, node)
        .reduce((n, { channels }) => n + channels.length, 0);
    const all = columns(clip.frames, (first, n) => clip.values(first, n), from,
                        joint.channels.length);
    return thinned(all, [...joint.channels].map((c) => LETTERS[c]), buckets);
  }
  const place = columns(clip.frames, (first, n) => clip.poses(first, n),
                        3 * node, 3);
  if (what === 'position') return thinned(place, ['x', 'y', 'z'], buckets);
  return thinned([speedOf(place, rate)], [joint.name], buckets);
}

// Some columns of all rows, each as an array.
function columns(frames: number,
                 rows: (first: number, count: number) => Float32Array,
                 from: number, count: number): Float32Array[] {
  const out = Array.from({ length: count }, () => new Float32Array(frames));
  for (let first = 0; first < frames; first += STEP) {
    const n = Math.min(STEP, frames - first);
    const block = rows(first, n);
    const width = block.length / n;
    for (let f = 0; f < n; ++f) {
      for (let c = 0; c < count; ++c) {
        out[c][first + f] = block[f * width + from + c];
      }
    }
  }
  return out;
}

function speedOf([x, y, z]: Float32Array[], rate: number): Float32Array {
  const out = new Float32Array(x.length);
  for (let f = 1; f < x.length; ++f) {
    out[f] = rate * Math.hypot(x[f] - x[f - 1], y[f] - y[f - 1],
                               z[f] - z[f - 1]);
  }
  return out;
}

// At most two values for each bucket of frames, its least and its greatest one,
// so that no peak is lost.
function thinned(all: Float32Array[], labels: string[], buckets: number):
    Curves {
  const frames = all[0]?.length ?? 0;
  const step = Math.ceil(frames / buckets);
  if (step <= 2) {
    return { frames: Array.from({ length: frames }, (_, f) => f),
             curves: labels.map((label, i) => ({ label, values: all[i] })) };
  }
  const count = Math.ceil(frames / step);
  const places: number[] = [];
  for (let b = 0; b < count; ++b) {
    places.push(b * step, b * step + step / 2);
  }
  const curves = labels.map((label, i) => {
    const values = new Float32Array(2 * count);
    for (let b = 0; b < count; ++b) {
      let [least, greatest] = [Infinity, -Infinity];
      for (const v of all[i].subarray(b * step, (b + 1) * step)) {
        if (v < least) least = v;
        if (v > greatest) greatest = v;
      }
      values[2 * b] = least;
      values[2 * b + 1] = greatest;
    }
    return { label, values };
  });
  return { frames: places, curves };
}
