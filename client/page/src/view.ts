// What a view must do: scene.ts draws by WebGL, canvas_view.ts without.

import type { Camera } from './camera';
import type { Colour, DrawList } from './draw_list';

export interface Look {
  background: Colour;
  grid: Colour;
  // The side of a square of the grid.
  cell: number;
}

// A part of the view with its own list: the one of two figures side by side.
export interface Part {
  list: DrawList;
  x: number;
  width: number;
}

export interface View {
  readonly canvas: HTMLCanvasElement;
  // Triangles and draw calls of the last frame; 0 without WebGL.
  readonly calls: number;
  // In pixels of the page.
  resize(width: number, height: number): void;
  draw(parts: Part[], camera: Camera, look: Look): void;
  dispose(): void;
}

export function pixelRatio(): number {
  return Math.min(2, window.devicePixelRatio || 1);
}

// The lines of the floor, as pairs of points, out to this many squares. They
// are in short pieces, since parts of them may be behind the camera.
export function gridLines(cell: number, squares: number): number[] {
  const lines: number[] = [];
  for (let i = -squares; i <= squares; ++i) {
    for (let j = -squares; j < squares; ++j) {
      const [at, from, to] = [i * cell, j * cell, (j + 1) * cell];
      lines.push(at, 0, from, at, 0, to, from, 0, at, to, 0, at);
    }
  }
  return lines;
}
