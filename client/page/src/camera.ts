// A camera that turns around a point. Lengths are those of the view: a figure
// is about 1.75 high, and Y is up.

export type Point = [number, number, number];

export interface Projected {
  x: number;
  y: number;
  // The distance in front of the camera; not visible if it is not positive.
  depth: number;
}

const FIELD = 36 * Math.PI / 180;

export class Camera {
  target: Point = [0, 0.9, 0];
  yaw = 0.6;
  pitch = 0.18;
  distance = 4.2;

  get eye(): Point {
    const { target, yaw, pitch, distance } = this;
    const flat = Math.cos(pitch) * distance;
    return [target[0] + Math.sin(yaw) * flat,
            target[1] + Math.sin(pitch) * distance,
            target[2] + Math.cos(yaw) * flat];
  }

  // The directions to the right, up and back.
  get axes(): [Point, Point, Point] {
    const { yaw, pitch } = this;
    const [sy, cy, sp, cp] =
        [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    return [[cy, 0, -sy], [-sp * sy, cp, -sp * cy], [cp * sy, sp, cp * cy]];
  }

  get field(): number {
    return FIELD;
  }

  // Pixels of a unit at distance 1.
  focus(height: number): number {
    return height / 2 / Math.tan(FIELD / 2);
  }

  project(p: Point, width: number, height: number): Projected {
    const [right, up, back] = this.axes;
    const eye = this.eye;
    const d = [p[0] - eye[0], p[1] - eye[1], p[2] - eye[2]];
    const along = (a: Point) => d[0] * a[0] + d[1] * a[1] + d[2] * a[2];
    const depth = -along(back);
    const scale = this.focus(height) / Math.max(depth, 1e-6);
    return { x: width / 2 + along(right) * scale,
             y: height / 2 - along(up) * scale, depth };
  }

  turn(dx: number, dy: number): void {
    this.yaw -= dx * 0.008;
    this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + dy * 0.008));
  }

  // Moves the target by pixels of a view of this height.
  pan(dx: number, dy: number, height: number): void {
    const unit = this.distance / this.focus(height);
    const [right, up] = this.axes;
    for (let k = 0; k < 3; ++k) {
      this.target[k] += (dy * up[k] - dx * right[k]) * unit;
    }
  }

  zoom(factor: number): void {
    this.distance = Math.max(0.05, Math.min(500, this.distance * factor));
  }

  // Shows a box whole.
  frame(least: Point, greatest: Point, aspect: number): void {
    const half = Math.hypot(...greatest.map((g, k) => g - least[k])) / 2;
    this.target = greatest.map((g, k) => (g + least[k]) / 2) as Point;
    const field = Math.min(FIELD, FIELD * aspect);
    this.distance = Math.max(0.2, half / Math.sin(field / 2) * 1.08);
  }
}
