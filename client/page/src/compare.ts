// The take beside another one: what to compare with, and the distances of
// joints.

import { choice, button, el } from './dom';
import {
  isFinite, type Placement, placementBeside, placementOf, toView,
} from './figure';
import type { Clip } from './clip';
import type { Point } from './camera';
import { openOther, otherName, otherUp, seek } from './session';
import { state, update, touch } from './store';
import { short } from './words';

// The distances are those at this many times, or in every frame.
const MOST_TIMES = 1200;

export interface JointDistance {
  node: number;
  name: string;
  values: Float32Array;
  largest: number;
  mean: number;
  // The time of the largest distance.
  at: number;
}

export interface Distances {
  times: number[];
  joints: JointDistance[];
}

let known: { clip: Clip; other: Clip; distances: Distances | null } | null =
    null;

// The distances between the joints of the two takes, the largest first; null
// until both takes are read. Both figures have the size that they have in the
// view; distances are in units of the take.
export function distances(): Distances | null {
  const { clip, other } = state;
  if (!clip?.isRead || !other?.isRead || other.frames === 0) return null;
  if (known?.clip !== clip || known.other !== other) {
    const asked = known = { clip, other, distances: null as Distances | null };
    measure(clip, other).then((result) => {
      asked.distances = result;
      touch('other');
    }, (error: Error) => update({ message: error.message }));
  }
  return known.distances;
}

function pairsOf(clip: Clip, other: Clip): [number, number][] {
  const names = clip.info!.joints.map(({ name }, i) =>
    other.sourceNames[i] ?? name);
  const places = new Map(other.info!.joints.map(({ name }, i) => [name, i]));
  const isSame = names.length === other.info!.joints.length &&
      names.every((name, i) => other.info!.joints[i].name === name);
  const pairs: [number, number][] = [];
  names.forEach((name, i) => {
    const j = isSame ? i : places.get(name);
    if (j !== undefined && !clip.info!.joints[i].end_site) pairs.push([i, j]);
  });
  return pairs;
}

async function measure(clip: Clip, other: Clip): Promise<Distances> {
  const end = Math.min(clip.duration, other.duration);
  const n = Math.max(1, Math.min(MOST_TIMES,
                                 Math.floor(end * clip.rate) + 1));
  const times = Array.from({ length: n }, (_, i) => n < MOST_TIMES
      ? i / clip.rate : end * i / (n - 1));
  const [a, b] = await Promise.all([clip, other].map((c) =>
    c.ask<Float32Array>({ kind: 'samples',
                          frames: times.map((t) => c.frameAt(t)) })));
  const place = placementOf(clip.firstPose!, state.take?.options.up ?? 'y');
  const places: [Placement, Placement] =
      [place, state.compare === 'repair' ? place
          : placementBeside(place, clip.firstPose!, other.firstPose!,
                            otherUp())];
  const widths = [clip, other].map((c) => 3 * c.info!.joints.length);
  const [p, q]: [Point, Point] = [[0, 0, 0], [0, 0, 0]];
  const joints = pairsOf(clip, other).map(([i, j]): JointDistance => {
    const values = new Float32Array(n).fill(NaN);
    let [largest, sum, at, finite] = [0, 0, 0, 0];
    for (let t = 0; t < n; ++t) {
      toView(places[0], a.subarray(t * widths[0]), i, p);
      toView(places[1], b.subarray(t * widths[1]), j, q);
      if (!isFinite(p) || !isFinite(q)) continue;
      const far = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) /
          place.scale;
      values[t] = far;
      sum += far;
      ++finite;
      if (far > largest) [largest, at] = [far, times[t]];
    }
    return { node: i, name: clip.info!.joints[i].name, values, largest,
             mean: sum / Math.max(1, finite), at };
  });
  joints.sort((x, y) => y.largest - x.largest);
  return { times, joints };
}

export function comparePanel(): Node[] {
  const { take, takes, compare, layout } = state;
  const options: [string, string][] = [
    ['', 'nothing'], ['anim', 'the same as .anim'],
    ['repair', 'the same, repaired'],
    ...takes.filter((t) => t !== take).slice(0, 500)
        .map((t): [string, string] => [`take:${t.path}`, t.path]),
  ];
  return [
    choice('Beside', options, compare, openOther),
    choice('Layout', [['side', 'side by side'], ['over', 'over each other']],
           layout, (value) => update({ layout: value as 'side' | 'over' })),
    ...(compare === '' ? [el('p', { class: 'quiet small' },
      'Shows the take beside its conversion, its repair, or another take, ' +
      'at the same time and from the same side.')] : outcome()),
  ];
}

function outcome(): Node[] {
  const { other } = state;
  if (other === null) return [];
  const failed = other.error || (other.isRead && other.frames === 0
      ? other.result?.status.message || 'it has no frames' : '');
  if (failed) {
    return [el('p', { class: 'fault' }, `${otherName()}: ${failed}`)];
  }
  const result = distances();
  if (result === null) return [el('p', { class: 'quiet' }, 'Reading ...')];
  if (result.joints.length === 0) {
    return [el('p', { class: 'quiet' },
               'No joint has the same name in both.')];
  }
  const unit = state.take?.options.units ?? '';
  return [
    el('h2', { class: 'sub' }, 'Largest distance of each joint'),
    el('table', { class: 'distances' },
       el('thead', {}, el('tr', {}, ...['Joint', 'Largest', 'Mean'].map(
           (head) => el('th', { scope: 'col' }, head)))),
       el('tbody', {}, ...result.joints.slice(0, 100).map((joint) => el(
           'tr', {},
           el('th', { scope: 'row' }, button(joint.name, () => {
             seek(joint.at);
             touch('reveal');
             update({ joints: [joint.node], curve: 'distance' });
           }, { class: 'link' })),
           el('td', { class: 'number' }, `${short(joint.largest)} ${unit}`),
           el('td', { class: 'number' }, `${short(joint.mean)} ${unit}`))))),
    el('p', { class: 'quiet small' },
       state.compare === 'repair' ? 'In units of the take.'
           : 'In units of the take, after the roots of both first poses were ' +
             'put at the same place, at the same height.'),
  ];
}
