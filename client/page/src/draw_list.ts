// The bones and joints to draw, as numbers. The views with and without WebGL
// draw the same list.

export const SEGMENT = 10;
export const POINT = 7;

export type Colour = [number, number, number];

export class DrawList {
  // From, to, radius, colour: SEGMENT numbers each.
  segments = new Float32Array(SEGMENT * 256);
  segmentCount = 0;
  // Place, radius, colour: POINT numbers each.
  points = new Float32Array(POINT * 256);
  pointCount = 0;
  // The node of each point that can be picked, or -1.
  nodes: number[] = [];

  clear(): void {
    this.segmentCount = 0;
    this.pointCount = 0;
    this.nodes.length = 0;
  }

  segment(a: ArrayLike<number>, b: ArrayLike<number>, radius: number,
          colour: Colour): void {
    const i = SEGMENT * this.segmentCount++;
    if (i + SEGMENT > this.segments.length) {
      this.segments = grown(this.segments);
    }
    const to = this.segments;
    for (let k = 0; k < 3; ++k) {
      to[i + k] = a[k];
      to[i + 3 + k] = b[k];
      to[i + 7 + k] = colour[k];
    }
    to[i + 6] = radius;
  }

  point(p: ArrayLike<number>, radius: number, colour: Colour,
        node: number): void {
    const i = POINT * this.pointCount++;
    if (i + POINT > this.points.length) this.points = grown(this.points);
    const to = this.points;
    for (let k = 0; k < 3; ++k) {
      to[i + k] = p[k];
      to[i + 4 + k] = colour[k];
    }
    to[i + 3] = radius;
    this.nodes.push(node);
  }
}

function grown(array: Float32Array): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(2 * array.length);
  larger.set(array);
  return larger;
}
