// A still picture of a take: its first pose, from the front and a little from
// the side.

import { Camera, type Point } from './camera';
import { CanvasView } from './canvas_view';
import { DrawList } from './draw_list';
import { addFigure, addToBox, placementOf } from './figure';
import type { Take } from './take';
import { theme } from './theme';

export function drawStill(take: Take, width: number, height: number):
    HTMLCanvasElement | null {
  if (take.pose === null || take.joints.length === 0) return null;
  const { bone, joint, view } = theme();
  const place = placementOf(take.pose, take.options.up ?? 'y');
  const list = new DrawList();
  addFigure(list, take.joints, take.pose, place,
            { bone, joint, marks: new Map(), width: 1, isPickable: false });
  const least: Point = [Infinity, Infinity, Infinity];
  const greatest: Point = [-Infinity, -Infinity, -Infinity];
  addToBox(take.pose, place, least, greatest);
  const camera = new Camera();
  camera.frame(least, greatest, width / height);
  const still = new CanvasView();
  still.resize(width, height);
  still.draw([{ list, x: 0, width }], camera,
             { background: view, grid: view, cell: 4 });
  still.canvas.setAttribute('aria-hidden', 'true');
  return still.canvas;
}
