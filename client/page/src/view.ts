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

// The lines of the floor, as pairs of points, out to this many squares.
export function gridLines(cell: number, squares: number): number[] {
  const lines: number[] = [];
  const far = cell * squares;
  for (let i = -squares; i <= squares; ++i) {
    lines.push(i * cell, 0, -far, i * cell, 0, far);
    lines.push(-far, 0, i * cell, far, 0, i * cell);
  }
  return lines;
}
