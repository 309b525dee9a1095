// The view by WebGL: all bones are one instanced mesh, all joints another, and
// the floor is lines. So a part takes 3 draw calls, however many figures it
// has.

import {
  AmbientLight, BufferAttribute, BufferGeometry, Color, DirectionalLight,
  DynamicDrawUsage, Fog, InstancedBufferAttribute, InstancedMesh, LineSegments,
  LineBasicMaterial, MeshLambertMaterial, OctahedronGeometry,
  PerspectiveCamera, Scene, SRGBColorSpace, WebGLRenderer,
} from 'three';

import type { Camera } from './camera';
import { type Colour, type DrawList, POINT, SEGMENT } from './draw_list';
import { gridLines, type Look, type Part, pixelRatio, type View } from './view';

// A bone from 0 to 1 along Y: two pyramids on a square that is near the parent.
function boneGeometry(): BufferGeometry {
  const ring = [[1, 0.14, 0], [0, 0.14, 1], [-1, 0.14, 0], [0, 0.14, -1]];
  const corners: number[] = [];
  ring.forEach((from, i) => {
    const to = ring[(i + 1) % 4];
    corners.push(...from, ...[0, 1, 0], ...to);
    corners.push(...from, ...to, ...[0, 0, 0]);
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position',
                        new BufferAttribute(new Float32Array(corners), 3));
  // The corners of a face are not shared, so faces are flat.
  geometry.computeVertexNormals();
  return geometry;
}

class Instances {
  mesh!: InstancedMesh;
  #room = 0;

  constructor(private scene: Scene, private geometry: BufferGeometry) {
    this.reserve(256);
  }

  reserve(count: number): void {
    if (count <= this.#room) return;
    this.#room = Math.max(count, 2 * this.#room);
    if (this.mesh) {
      this.scene.remove(this.mesh);
      (this.mesh.material as MeshLambertMaterial).dispose();
      this.mesh.dispose();
    }
    this.mesh = new InstancedMesh(
        this.geometry, new MeshLambertMaterial(), this.#room);
    this.mesh.instanceColor = new InstancedBufferAttribute(
        new Float32Array(3 * this.#room), 3);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.instanceColor.setUsage(DynamicDrawUsage);
    // Bounds would be those of the first pose.
    this.mesh.frustumCulled = false;
    this.scene.add(this.mesh);
  }

  changed(count: number): void {
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

export class SceneView implements View {
  readonly canvas: HTMLCanvasElement;
  #renderer: WebGLRenderer;
  #scene = new Scene();
  #camera = new PerspectiveCamera();
  #bones = new Instances(this.#scene, boneGeometry());
  #joints = new Instances(this.#scene, new OctahedronGeometry(1, 1));
  #grid: LineSegments | null = null;
  #cell = 0;
  #height = 1;

  // Throws if there is no WebGL. Calls `lost` if the context is lost.
  constructor(lost: () => void) {
    this.canvas = document.createElement('canvas');
    this.#renderer = new WebGLRenderer({
      canvas: this.canvas, antialias: true, powerPreference: 'low-power',
    });
    this.#renderer.info.autoReset = false;
    // Nothing is transparent. Sorting would need bounds.
    this.#renderer.sortObjects = false;
    this.canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      lost();
    });
    const key = new DirectionalLight(0xffffff, 1.9);
    key.position.set(2, 4, 3);
    const fill = new DirectionalLight(0xffffff, 0.5);
    fill.position.set(-3, 1, -2);
    this.#scene.add(key, fill, new AmbientLight(0xffffff, 1.35));
  }

  get calls(): number {
    return this.#renderer.info.render.calls;
  }

  resize(width: number, height: number): void {
    this.#height = height;
    this.#renderer.setPixelRatio(pixelRatio());
    this.#renderer.setSize(width, height, false);
  }

  draw(parts: Part[], camera: Camera, look: Look): void {
    const background = colourOf(look.background);
    this.#scene.background = background;
    this.#scene.fog = new Fog(background, camera.distance * 0.9,
                              camera.distance * 2.6 + 4);
    this.#setGrid(look);
    this.#setCamera(camera);
    this.#renderer.info.reset();
    this.#renderer.setScissorTest(parts.length > 1);
    for (const { list, x, width } of parts) {
      this.#camera.aspect = width / this.#height;
      this.#camera.updateProjectionMatrix();
      this.#renderer.setViewport(x, 0, width, this.#height);
      this.#renderer.setScissor(x, 0, width, this.#height);
      this.#setBones(list);
      this.#setJoints(list);
      this.#renderer.render(this.#scene, this.#camera);
    }
  }

  dispose(): void {
    this.#renderer.dispose();
    this.canvas.remove();
  }

  #setCamera(camera: Camera): void {
    this.#camera.fov = camera.field * 180 / Math.PI;
    this.#camera.near = camera.distance / 50;
    this.#camera.far = camera.distance * 50 + 50;
    this.#camera.position.set(...camera.eye);
    this.#camera.lookAt(...camera.target);
  }

  #setGrid({ cell, grid }: Look): void {
    if (this.#cell !== cell) {
      if (this.#grid) {
        this.#scene.remove(this.#grid);
        this.#grid.geometry.dispose();
      }
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(
          new Float32Array(gridLines(cell, Math.ceil(12 / cell))), 3));
      this.#grid = new LineSegments(geometry, new LineBasicMaterial());
      this.#grid.frustumCulled = false;
      this.#scene.add(this.#grid);
      this.#cell = cell;
    }
    const material = this.#grid?.material as LineBasicMaterial;
    material.color.copy(colourOf(grid));
  }

  #setBones({ segments, segmentCount }: DrawList): void {
    this.#bones.reserve(segmentCount);
    const { instanceMatrix, instanceColor } = this.#bones.mesh;
    for (let n = 0; n < segmentCount; ++n) {
      boneMatrix(segments, n * SEGMENT, instanceMatrix.array, 16 * n);
      setColour(segments, n * SEGMENT + 7, instanceColor!.array, 3 * n);
    }
    this.#bones.changed(segmentCount);
  }

  #setJoints({ points, pointCount }: DrawList): void {
    this.#joints.reserve(pointCount);
    const { instanceMatrix, instanceColor } = this.#joints.mesh;
    const to = instanceMatrix.array;
    for (let n = 0; n < pointCount; ++n) {
      const i = n * POINT;
      const m = 16 * n;
      to.fill(0, m, m + 16);
      to[m] = to[m + 5] = to[m + 10] = points[i + 3];
      for (let k = 0; k < 3; ++k) to[m + 12 + k] = points[i + k];
      to[m + 15] = 1;
      setColour(points, i + 4, instanceColor!.array, 3 * n);
    }
    this.#joints.changed(pointCount);
  }
}

function colourOf([r, g, b]: Colour): Color {
  return new Color().setRGB(r, g, b, SRGBColorSpace);
}

const scratch = new Color();

function setColour(from: ArrayLike<number>, i: number,
                   to: { [i: number]: number }, j: number): void {
  scratch.setRGB(from[i], from[i + 1], from[i + 2], SRGBColorSpace);
  to[j] = scratch.r;
  to[j + 1] = scratch.g;
  to[j + 2] = scratch.b;
}

// The columns are two directions across the bone, the bone itself between
// them, and its beginning.
function boneMatrix(s: ArrayLike<number>, i: number,
                    m: { [i: number]: number }, j: number): void {
  const [x, y, z] = [s[i + 3] - s[i], s[i + 4] - s[i + 1], s[i + 5] - s[i + 2]];
  const length = Math.hypot(x, y, z);
  const radius = s[i + 6];
  // Across the bone: its cross product with the axis that is least along it.
  const isX = Math.abs(x) < 0.8 * length;
  let [ax, ay, az] = isX ? [0, z, -y] : [-z, 0, x];
  const width = radius / Math.hypot(ax, ay, az);
  ax *= width; ay *= width; az *= width;
  const [bx, by, bz] = [(ay * z - az * y) / length, (az * x - ax * z) / length,
                        (ax * y - ay * x) / length];
  m[j] = ax; m[j + 1] = ay; m[j + 2] = az; m[j + 3] = 0;
  m[j + 4] = x; m[j + 5] = y; m[j + 6] = z; m[j + 7] = 0;
  m[j + 8] = bx; m[j + 9] = by; m[j + 10] = bz; m[j + 11] = 0;
  m[j + 12] = s[i]; m[j + 13] = s[i + 1]; m[j + 14] = s[i + 2]; m[j + 15] = 1;
}
