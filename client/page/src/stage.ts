// The large view: the figures of the frame that is shown, the camera, and the
// joint under the pointer.

import { Camera, type Point } from './camera';
import { CanvasView } from './canvas_view';
import type { Clip } from './clip';
import { el } from './dom';
import { type Colour, DrawList, POINT } from './draw_list';
import {
  addFigure, addToBox, isFinite, type Paint, type Placement, placementBeside,
  placementOf, toView,
} from './figure';
import { followPointers } from './pointer';
import { otherName, otherUp } from './session';
import { state, subscribe, update } from './store';
import { theme } from './theme';
import type { Part, View } from './view';
import { roundDown } from './words';

// A joint can be picked within this distance.
const PICK_PIXELS = 16;
const GHOSTS = [-4, -3, -2, -1, 1, 2, 3, 4];
const GHOST_SECONDS = 0.18;
const TRAIL_SECONDS = 2;

const METERS: Record<string, number> = {
  m: 1, cm: 0.01, mm: 0.001, in: 0.0254, ft: 0.3048,
};

interface Shown {
  clip: Clip;
  place: Placement;
  // The pose that was drawn last, until the next one is there.
  pose: Float32Array;
  frame: number;
}

export class Stage {
  readonly camera = new Camera();
  #view: View | null = null;
  #lists = [new DrawList(), new DrawList()];
  #parts: Part[] = [];
  #main: Shown | null = null;
  #other: Shown | null = null;
  #request = 0;
  #movedByUser = false;
  // True after the clip that was read was put into the view.
  #isFramed = false;
  // True until the pose of the issue is in the view.
  #reveals = false;
  #hovered = -1;
  #label = el('div', { class: 'joint-label', hidden: true });
  #titles = [el('div', { class: 'part-title', hidden: true }),
             el('div', { class: 'part-title', hidden: true })];
  #divider = el('div', { class: 'divider', hidden: true });

  constructor(private holder: HTMLElement) {
    holder.append(this.#label, this.#divider, ...this.#titles);
    new ResizeObserver(() => this.#resize()).observe(holder);
    followPointers(holder, this.camera, {
      moved: () => {
        this.#movedByUser = true;
        this.draw();
      },
      click: (x, y, adds) => this.#pick(x, y, adds),
      hover: (x, y) => this.#hover(x, y),
    });
    subscribe((changed) => {
      if (changed.has('clip')) this.#forget();
      if (changed.has('reveal')) this.#reveals = true;
      if (changed.has('options') || changed.has('theme')) this.#replace();
      // The first pose does not wait for the next frame of the screen.
      if (this.#main === null && state.clip?.info) this.#drawNow();
      else this.draw();
    });
    document.addEventListener('visibilitychange', () => this.draw());
    this.#start();
  }

  // Draws before the next frame of the screen.
  draw(): void {
    if (this.#request !== 0 || document.hidden) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.#drawNow();
    });
  }

  look(yaw: number, pitch: number): void {
    this.#movedByUser = true;
    this.camera.yaw = yaw;
    this.camera.pitch = pitch;
    this.draw();
  }

  zoom(factor: number): void {
    this.#movedByUser = true;
    this.camera.zoom(factor);
    this.draw();
  }

  // Shows the whole motion.
  async frameAll(): Promise<void> {
    const main = this.#main;
    const poses = await this.#sampled();
    if (poses === null || this.#main !== main || main === null) return;
    this.#movedByUser = true;
    this.#frame(poses, main.place);
  }

  // Once, when all is read: shows the motion, but the figure not much smaller.
  async #frameRead(): Promise<void> {
    const main = this.#main;
    const poses = await this.#sampled();
    if (poses === null || this.#main !== main || main === null ||
        this.#movedByUser) return;
    const { distance } = this.camera;
    this.#frame(poses, main.place);
    this.camera.distance = Math.min(this.camera.distance, 1.4 * distance);
    this.draw();
  }

  // Some poses of the whole clip.
  async #sampled(): Promise<Float32Array | null> {
    const { clip } = state;
    if (clip === null || clip.info === null || clip.frames === 0) return null;
    const n = Math.min(48, clip.frames);
    const frames = Array.from(
        { length: n }, (_, i) => Math.round(i * (clip.frames - 1) / n));
    return clip.ask<Float32Array>({ kind: 'samples', frames })
        .catch(() => null);
  }

  // WebGL is a module of its own, which the page does not wait for. Without it
  // the view is drawn in 2D.
  async #start(): Promise<void> {
    try {
      const { SceneView } = await import('./scene');
      this.#use(new SceneView(() => this.#use(new CanvasView())));
    } catch {
      this.#use(new CanvasView());
    }
  }

  #use(view: View): void {
    this.#view?.dispose();
    this.#view = view;
    document.documentElement.dataset.view =
        view instanceof CanvasView ? '2d' : 'webgl';
    view.canvas.setAttribute('aria-hidden', 'true');
    this.holder.prepend(view.canvas);
    this.#resize();
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    this.#view?.resize(width, height);
    this.#drawNow();
  }

  #forget(): void {
    this.#main = null;
    this.#other = null;
    this.#hovered = -1;
    this.#movedByUser = false;
    this.#isFramed = false;
  }

  // After a change of the up axis.
  #replace(): void {
    this.#main = null;
    this.#other = null;
  }

  // The clip with its placement, as soon as there is a pose.
  #shown(clip: Clip | null, before: Shown | null): Shown | null {
    if (clip === null || clip.info === null) return null;
    if (before?.clip === clip) {
      const frame = clip.frameAt(state.time);
      const pose = clip.pose(frame);
      if (pose !== null) Object.assign(before, { pose, frame });
      return before;
    }
    const pose = clip.firstPose;
    if (pose === null) return null;
    return { clip, pose, frame: 0, place: this.#placementOf(clip, pose) };
  }

  #placementOf(clip: Clip, pose: Float32Array): Placement {
    if (clip === state.clip) {
      return placementOf(pose, state.take?.options.up ?? 'y');
    }
    // A repaired take stands where the take does.
    if (state.compare === 'repair' && this.#main) return this.#main.place;
    const up = otherUp();
    const main = this.#main;
    return main && main.clip.firstPose
        ? placementBeside(main.place, main.clip.firstPose, pose, up)
        : placementOf(pose, up);
  }

  #drawNow(): void {
    const view = this.#view;
    if (view === null || this.holder.clientWidth === 0) return;
    const isFirst = this.#main === null;
    this.#main = this.#shown(state.clip, this.#main);
    this.#other = this.#shown(state.other, this.#other);
    if (isFirst && this.#main && !this.#movedByUser) {
      this.#frame(this.#main.pose, this.#main.place);
    }
    if (this.#main && !this.#isFramed && this.#main.clip.isRead) {
      this.#isFramed = true;
      this.#frameRead();
    }
    this.#reveal();
    this.#fillParts();
    const { view: background, grid } = theme();
    view.draw(this.#parts, this.camera, { background, grid, cell: this.#cell });
    this.#placeLabel();
    document.documentElement.dataset.calls = String(view.calls);
    if (isFirst && this.#main) performance.mark('first-pose');
  }

  // Moves the target if the issue is outside of the view.
  #reveal(): void {
    const main = this.#main;
    if (!this.#reveals || main === null) return;
    if (main.frame !== main.clip.frameAt(state.time)) return;
    this.#reveals = false;
    const { clientWidth, clientHeight: height } = this.holder;
    const isSide = this.#other !== null && state.layout === 'side';
    const width = isSide ? clientWidth / 2 : clientWidth;
    const at: Point = [0, 0, 0];
    toView(main.place, main.pose, Math.max(0, issueJoint()), at);
    const { x, y, depth } = this.camera.project(at, width, height);
    const isIn = (v: number, size: number) =>
      v > 0.12 * size && v < 0.88 * size;
    if (depth > 0 && isIn(x, width) && isIn(y, height)) return;
    const least: Point = [Infinity, Infinity, Infinity];
    const greatest: Point = [-Infinity, -Infinity, -Infinity];
    addToBox(main.pose, main.place, least, greatest);
    if (isFinite(least)) {
      this.camera.target = least.map((v, k) => (v + greatest[k]) / 2) as Point;
    }
  }

  // A meter if the unit is known; else a round part of the figure.
  get #cell(): number {
    if (this.#main === null) return 0.5;
    const { scale } = this.#main.place;
    const meters = METERS[state.take?.options.units ?? ''];
    if (meters !== undefined) {
      const cell = scale / meters;
      return cell > 0.1 && cell < 5 ? cell : 0.5;
    }
    return roundDown(0.6 / scale) * scale;
  }

  #fillParts(): void {
    const { clientWidth: width } = this.holder;
    const [first, second] = this.#lists;
    first.clear();
    second.clear();
    const isSide = this.#other !== null && state.layout === 'side';
    if (this.#main) this.#addMain(first, this.#main);
    if (this.#other) this.#addOther(isSide ? second : first, this.#other);
    const half = Math.round(width / 2);
    this.#parts = isSide
        ? [{ list: first, x: 0, width: half },
           { list: second, x: half, width: width - half }]
        : [{ list: first, x: 0, width }];
    this.#divider.hidden = !isSide;
    const names = [state.take?.name ?? '', otherName()];
    this.#titles.forEach((title, i) => {
      title.hidden = !isSide;
      title.textContent = names[i];
      title.style.left = `${i === 0 ? 0 : half}px`;
      title.style.maxWidth = `${half - 24}px`;
    });
  }

  #addMain(list: DrawList, shown: Shown): void {
    const { bone, joint, view } = theme();
    const { joints } = shown.clip.info!;
    if (state.ghosts) {
      for (const k of GHOSTS) {
        const pose = this.#poseAt(shown.clip, k * GHOST_SECONDS);
        const far = mix(bone, view, 0.62 + 0.07 * Math.abs(k));
        if (pose) {
          addFigure(list, joints, pose, shown.place,
                    { bone: far, joint: far, marks: new Map(), width: 0.55,
                      isPickable: false });
        }
      }
    }
    if (state.trail) this.#addTrail(list, shown);
    addFigure(list, joints, this.#pose(shown), shown.place,
              { bone, joint, marks: this.#marks(), width: 1,
                isPickable: true });
  }

  // The pose between two frames if that is wanted, else the nearest one.
  #pose(shown: Shown): Float32Array {
    if (!state.smooth) return shown.pose;
    const at = state.time * shown.clip.rate;
    const [a, b] = [shown.clip.pose(Math.floor(at)),
                    shown.clip.pose(Math.ceil(at))];
    if (a === null || b === null) return shown.pose;
    const part = at - Math.floor(at);
    return a.map((v, i) => v + (b[i] - v) * part);
  }

  #addOther(list: DrawList, shown: Shown): void {
    const { other, joint } = theme();
    const paint: Paint = { bone: other, joint, marks: new Map(), width: 1,
                           isPickable: false };
    addFigure(list, shown.clip.info!.joints, shown.pose, shown.place, paint);
  }

  #poseAt(clip: Clip, seconds: number): Float32Array | null {
    const frame = Math.round((state.time + seconds) * clip.rate);
    return clip.pose(frame);
  }

  #addTrail(list: DrawList, { clip, place }: Shown): void {
    const { accent, view } = theme();
    const node = state.joints[0] ?? clip.result?.measures?.body_root ?? 0;
    const steps = 40;
    let before: Point | null = null;
    for (let i = steps; i >= 0; --i) {
      const pose = this.#poseAt(clip, -TRAIL_SECONDS * i / steps);
      const at: Point = [NaN, NaN, NaN];
      if (pose) toView(place, pose, node, at);
      if (before && isFinite(at) && distance(at, before) > 1e-5) {
        list.segment(before, at, 0.006, mix(accent, view, 0.8 * i / steps));
      }
      before = isFinite(at) ? at : null;
    }
  }

  // The joint of the issue is red, picked joints have the accent.
  #marks(): Map<number, Colour> {
    const { accent, error } = theme();
    const marks = new Map<number, Colour>();
    for (const node of state.joints) marks.set(node, accent);
    if (this.#hovered >= 0) marks.set(this.#hovered, accent);
    const joint = issueJoint();
    if (joint >= 0) marks.set(joint, error);
    return marks;
  }

  #frame(poses: Float32Array, place: Placement): void {
    const least: Point = [Infinity, Infinity, Infinity];
    const greatest: Point = [-Infinity, -Infinity, -Infinity];
    addToBox(poses, place, least, greatest);
    if (!isFinite(least)) return;
    const parts = state.other !== null && state.layout === 'side' ? 2 : 1;
    this.camera.frame(least, greatest, this.holder.clientWidth / parts /
                      Math.max(1, this.holder.clientHeight));
    this.draw();
  }

  // The joint of the take at a place of the view, or -1.
  #nodeAt(x: number, y: number): number {
    const part = this.#parts[0];
    const { clientHeight: height } = this.holder;
    let found = -1;
    let nearest = PICK_PIXELS;
    if (part === undefined) return -1;
    part.list.nodes.forEach((node, i) => {
      if (node < 0) return;
      const p = part.list.points.subarray(i * POINT, i * POINT + 3);
      const at = this.camera.project([p[0], p[1], p[2]], part.width, height);
      const far = Math.hypot(at.x + part.x - x, at.y - y);
      if (at.depth > 0 && far < nearest) {
        nearest = far;
        found = node;
      }
    });
    return found;
  }

  #pick(x: number, y: number, adds: boolean): void {
    pickJoint(this.#nodeAt(x, y), adds);
  }

  #hover(x: number, y: number): void {
    const node = x < 0 ? -1 : this.#nodeAt(x, y);
    if (node === this.#hovered) return;
    this.#hovered = node;
    this.holder.classList.toggle('at-joint', node >= 0);
    this.draw();
  }

  // The name beside the joint that is hovered, at fault or picked.
  #placeLabel(): void {
    const shown = this.#main;
    const joint = issueJoint();
    const node = this.#hovered >= 0 ? this.#hovered
        : joint >= 0 ? joint : state.joints[0] ?? -1;
    const part = this.#parts[0];
    const at: Point = [NaN, NaN, NaN];
    if (shown && node >= 0) toView(shown.place, shown.pose, node, at);
    this.#label.hidden = !isFinite(at);
    if (!shown || !isFinite(at)) return;
    const { x, y } =
        this.camera.project(at, part.width, this.holder.clientHeight);
    this.#label.textContent = shown.clip.info!.joints[node]?.name ?? '';
    this.#label.classList.toggle('fault', node === joint);
    const right = Math.min(part.x + x + 14,
                           this.holder.clientWidth - this.#label.offsetWidth);
    this.#label.style.transform = `translate(${right}px, ${y - 26}px)`;
  }
}

// Chooses a joint for curves; with `adds` beside those that are chosen.
export function pickJoint(node: number, adds: boolean): void {
  const { joints } = state;
  if (node < 0) {
    if (!adds) update({ joints: [] });
  } else if (joints.includes(node)) {
    update({ joints: joints.filter((joint) => joint !== node) });
  } else {
    update({ joints: adds ? [node, ...joints].slice(0, 4) : [node] });
  }
}

function issueJoint(): number {
  const { clip, issue } = state;
  return clip?.issues[issue]?.location.joint ?? -1;
}

function mix(a: Colour, b: Colour, part: number): Colour {
  return a.map((v, k) => v + (b[k] - v) * part) as Colour;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
