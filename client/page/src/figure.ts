// A figure in the view: where the clip stands, and its bones and joints in one
// pose. The data are never turned or scaled, only what is drawn.

import type { Point } from './camera';
import type { Colour, DrawList } from './draw_list';
import type { Joint } from './take';

export type Axis = 'x' | 'y' | 'z';

// From the coordinates of a clip to those of the view.
export interface Placement {
  // This point of the clip is the origin of the view. Subtracted in doubles:
  // coordinates far from 0 would tremble.
  origin: Point;
  // Units of the view for a unit of the clip.
  scale: number;
  up: Axis;
}

// The height of a figure in the view.
const HEIGHT = 1.75;

export function toView(place: Placement, pose: ArrayLike<number>,
                       node: number, out: Point): Point {
  const { origin, scale, up } = place;
  const x = (pose[3 * node] - origin[0]) * scale;
  const y = (pose[3 * node + 1] - origin[1]) * scale;
  const z = (pose[3 * node + 2] - origin[2]) * scale;
  out[0] = up === 'x' ? -y : x;
  out[1] = up === 'x' ? x : up === 'z' ? z : y;
  out[2] = up === 'z' ? -y : z;
  return out;
}

// The box of a pose in the coordinates of the clip; null if it has no finite
// position.
function boxOf(pose: ArrayLike<number>): [Point, Point] | null {
  const least: Point = [Infinity, Infinity, Infinity];
  const greatest: Point = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < pose.length; ++i) {
    if (!Number.isFinite(pose[i])) continue;
    least[i % 3] = Math.min(least[i % 3], pose[i]);
    greatest[i % 3] = Math.max(greatest[i % 3], pose[i]);
  }
  return least.every(Number.isFinite) ? [least, greatest] : null;
}

// Puts the first pose onto the floor at the origin, in the size of a person.
export function placementOf(pose: ArrayLike<number>, up: Axis): Placement {
  const box = boxOf(pose);
  if (box === null) return { origin: [0, 0, 0], scale: 1, up };
  const [least, greatest] = box;
  const axis = { x: 0, y: 1, z: 2 }[up];
  const size = greatest.map((g, k) => g - least[k]);
  const height = Math.max(size[axis], 0.5 * Math.max(...size)) || 1;
  const origin = least.map((l, k) => (l + greatest[k]) / 2) as Point;
  // Feet near 0 stand on the floor of the clip.
  const floor = least[axis];
  origin[axis] = Math.abs(floor) < 0.15 * height ? 0 : floor;
  return { origin, scale: HEIGHT / height, up };
}

// Puts the first pose of another clip where that of a take stands, with its
// root at the same place and at the same height above its lowest joint: the two
// may have different units and proportions.
export function placementBeside(place: Placement, pose: ArrayLike<number>,
                                other: ArrayLike<number>, up: Axis): Placement {
  const own = placementOf(other, up);
  const [height, otherHeight] = [rootHeight(place, pose),
                                 rootHeight(own, other)];
  if (height > 0.2 && otherHeight > 0.2) own.scale *= height / otherHeight;
  const [goal, at]: [Point, Point] = [[0, 0, 0], [0, 0, 0]];
  toView(place, pose, 0, goal);
  toView(own, other, 0, at);
  if (!isFinite(goal) || !isFinite(at)) return own;
  const d = at.map((v, k) => (v - goal[k]) / own.scale);
  // Back from the directions of the view to those of the clip.
  const back: Point = up === 'x' ? [d[1], -d[0], d[2]]
      : up === 'z' ? [d[0], -d[2], d[1]] : [d[0], d[1], d[2]];
  own.origin = own.origin.map((v, k) => v + back[k]) as Point;
  return own;
}

// The height of the first node above the lowest one, in the view.
function rootHeight(place: Placement, pose: ArrayLike<number>): number {
  const [least, greatest]: [Point, Point] =
      [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  addToBox(pose, place, least, greatest);
  toView(place, pose, 0, a);
  return a[1] - least[1];
}

export interface Paint {
  bone: Colour;
  joint: Colour;
  // Marked nodes have these colours.
  marks: Map<number, Colour>;
  // Thinner for ghosts.
  width: number;
  // True if the joints can be picked.
  isPickable: boolean;
}

const a: Point = [0, 0, 0];
const b: Point = [0, 0, 0];

export function addFigure(list: DrawList, joints: readonly Joint[],
                          pose: Float32Array, place: Placement,
                          paint: Paint): void {
  for (let i = 0; i < joints.length; ++i) {
    toView(place, pose, i, a);
    if (!isFinite(a)) continue;
    const mark = paint.marks.get(i);
    if (!joints[i].end_site || mark) {
      const radius = (mark ? 0.034 : 0.018) * paint.width;
      list.point(a, radius, mark ?? paint.joint, paint.isPickable ? i : -1);
    }
    const parent = joints[i].parent;
    if (parent < 0) continue;
    toView(place, pose, parent, b);
    if (!isFinite(b)) continue;
    const length = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    if (length < 1e-6) continue;
    const radius = Math.min(0.13 * length, 0.032) * paint.width;
    list.segment(b, a, radius, paint.marks.get(parent) ?? paint.bone);
  }
}

export function isFinite(p: Point): boolean {
  return Number.isFinite(p[0] + p[1] + p[2]);
}

// Widens a box of the view by a pose.
export function addToBox(pose: ArrayLike<number>, place: Placement,
                         least: Point, greatest: Point): void {
  for (let i = 0; 3 * i < pose.length; ++i) {
    toView(place, pose, i, a);
    if (!isFinite(a)) continue;
    for (let k = 0; k < 3; ++k) {
      least[k] = Math.min(least[k], a[k]);
      greatest[k] = Math.max(greatest[k], a[k]);
    }
  }
}
