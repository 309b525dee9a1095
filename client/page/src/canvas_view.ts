// The view without WebGL: the same list, projected to a 2D canvas.

import { Camera, type Point } from './camera';
import { type DrawList, POINT, SEGMENT } from './draw_list';
import { gridLines, type Look, type Part, pixelRatio, type View } from './view';

export class CanvasView implements View {
  readonly canvas = document.createElement('canvas');
  readonly calls = 0;
  #context = this.canvas.getContext('2d')!;
  #width = 1;
  #height = 1;

  resize(width: number, height: number): void {
    const ratio = pixelRatio();
    this.#width = width;
    this.#height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw(parts: Part[], camera: Camera, look: Look): void {
    const context = this.#context;
    context.fillStyle = css(look.background);
    context.fillRect(0, 0, this.#width, this.#height);
    for (const { list, x, width } of parts) {
      context.save();
      context.beginPath();
      context.rect(x, 0, width, this.#height);
      context.clip();
      context.translate(x, 0);
      this.#drawGrid(camera, look, width);
      this.#drawList(list, camera, width);
      context.restore();
    }
  }

  dispose(): void {
    this.canvas.remove();
  }

  #drawGrid(camera: Camera, look: Look, width: number): void {
    const context = this.#context;
    const lines = gridLines(look.cell, Math.ceil(4 / look.cell));
    context.strokeStyle = css(look.grid);
    context.lineWidth = 1;
    context.beginPath();
    for (let i = 0; i < lines.length; i += 6) {
      const a = lines.slice(i, i + 3) as Point;
      const b = lines.slice(i + 3, i + 6) as Point;
      this.#line(a, b, camera, width);
    }
    context.stroke();
  }

  #line(a: Point, b: Point, camera: Camera, width: number): void {
    const from = camera.project(a, width, this.#height);
    const to = camera.project(b, width, this.#height);
    if (from.depth <= 0.05 || to.depth <= 0.05) return;
    this.#context.moveTo(from.x, from.y);
    this.#context.lineTo(to.x, to.y);
  }

  // Far things first.
  #drawList(list: DrawList, camera: Camera, width: number): void {
    const context = this.#context;
    const height = this.#height;
    const at = (p: ArrayLike<number>, i: number) =>
        camera.project([p[i], p[i + 1], p[i + 2]], width, height);
    const focus = camera.focus(height);
    const things: [number, () => void][] = [];
    const { segments, points } = list;
    context.lineCap = 'round';
    for (let n = 0; n < list.segmentCount; ++n) {
      const i = n * SEGMENT;
      const [a, b] = [at(segments, i), at(segments, i + 3)];
      if (a.depth <= 0.05 || b.depth <= 0.05) continue;
      things.push([(a.depth + b.depth) / 2, () => {
        context.strokeStyle = css(segments.subarray(i + 7, i + 10));
        context.lineWidth =
            Math.max(1, 1.1 * segments[i + 6] * focus / a.depth);
        context.beginPath();
        context.moveTo(a.x, a.y);
        context.lineTo(b.x, b.y);
        context.stroke();
      }]);
    }
    for (let n = 0; n < list.pointCount; ++n) {
      const i = n * POINT;
      const p = at(points, i);
      if (p.depth <= 0.05) continue;
      things.push([p.depth - 0.02, () => {
        context.fillStyle = css(points.subarray(i + 4, i + 7));
        context.beginPath();
        context.arc(p.x, p.y, Math.max(1, points[i + 3] * focus / p.depth), 0,
                    2 * Math.PI);
        context.fill();
      }]);
    }
    things.sort((a, b) => b[0] - a[0]);
    for (const [, draw] of things) draw();
  }
}

function css(colour: ArrayLike<number>): string {
  const byte = (k: number) => Math.round(255 * colour[k]);
  return `rgb(${byte(0)} ${byte(1)} ${byte(2)})`;
}
