// The timeline: the time that is shown, what is read, and the issues, each with
// the shape and the colour of its severity.

import { state, subscribe, currentFrame, update } from './store';
import { seekFrame, selectIssue } from './session';
import { framesOf, type Issue, severityOf, type Severity } from './take';
import { cssOf, theme } from './theme';
import { pixelRatio } from './view';
import { roundDown } from './words';

const MARGIN = 14;
const HEIGHT = 58;
const LANE = 34;
// Issues nearer than this share a mark.
const BUCKET = 9;
const ORDER: Severity[] = ['error', 'warning', 'info', 'hint'];

interface Mark {
  x: number;
  // The end of the last issue of the mark.
  to: number;
  severity: Severity;
  // The issue, and the frame of the mark.
  issue: number;
  frame: number;
}

class Timeline extends HTMLElement {
  #canvas = document.createElement('canvas');
  #marks: Mark[] = [];
  #width = 0;
  #request = 0;

  connectedCallback(): void {
    this.#canvas.setAttribute('aria-hidden', 'true');
    this.append(this.#canvas);
    this.tabIndex = 0;
    this.setAttribute('role', 'slider');
    this.setAttribute('aria-label', 'Time');
    this.setAttribute('aria-valuemin', '0');
    new ResizeObserver(() => this.#resize()).observe(this);
    subscribe((changed) => {
      if (changed.has('clip') || changed.has('progress')) this.#place();
      this.#draw();
    });
    this.addEventListener('pointerdown', (event) => this.#down(event));
    this.addEventListener('pointermove', (event) => {
      if (this.hasPointerCapture(event.pointerId)) this.#scrub(event);
    });
  }

  #resize(): void {
    this.#width = this.clientWidth;
    this.#canvas.width = Math.round(this.#width * pixelRatio());
    this.#canvas.height = Math.round(HEIGHT * pixelRatio());
    this.#place();
    this.#draw();
  }

  #x(frame: number): number {
    const length = state.clip?.length ?? 1;
    const room = Math.max(1, this.#width - 2 * MARGIN);
    // An error may be in the frame after the last one.
    return MARGIN + room * Math.min(1, frame / Math.max(1, length - 1));
  }

  #frame(x: number): number {
    const { clip } = state;
    if (clip === null) return 0;
    const room = Math.max(1, this.#width - 2 * MARGIN);
    return Math.round((x - MARGIN) / room * (clip.length - 1));
  }

  // Gathers the issues in buckets; a bucket shows its most severe issue.
  #place(): void {
    const buckets = new Map<number, Mark>();
    (state.clip?.issues ?? []).forEach((issue, index) => {
      for (const [frame, last] of framesOf(issue)) {
        this.#add(buckets, issue, index, frame, last);
      }
    });
    this.#marks = [...buckets.values()];
  }

  #add(buckets: Map<number, Mark>, issue: Issue, index: number, frame: number,
       last: number): void {
    const [x, to] = [this.#x(frame), this.#x(last)];
    const bucket = Math.floor(x / BUCKET);
    const severity = severityOf(issue);
    const mark = buckets.get(bucket);
    if (mark === undefined) {
      buckets.set(bucket, { x, to, severity, issue: index, frame });
      return;
    }
    mark.to = Math.max(mark.to, to);
    if (ORDER.indexOf(severity) < ORDER.indexOf(mark.severity)) {
      Object.assign(mark, { x, severity, issue: index, frame });
    }
  }

  #down(event: PointerEvent): void {
    const { left, top } = this.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const near = this.#marks
        .filter((mark) => Math.abs(mark.x - x) < 8)
        .sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0];
    if (near !== undefined && Math.abs(y - LANE) < 12) {
      selectIssue(near.issue, false);
      seekFrame(near.frame);
      return;
    }
    this.setPointerCapture(event.pointerId);
    this.#scrub(event);
  }

  #scrub(event: PointerEvent): void {
    const { left } = this.getBoundingClientRect();
    seekFrame(this.#frame(event.clientX - left));
  }

  #draw(): void {
    if (this.#request !== 0) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.#drawNow();
    });
  }

  #drawNow(): void {
    const context = this.#canvas.getContext('2d');
    const { clip } = state;
    if (context === null || this.#width === 0) return;
    const ratio = pixelRatio();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.#width, HEIGHT);
    this.#drawRuler(context);
    this.#drawBuffer(context);
    for (const mark of this.#marks) this.#drawMark(context, mark);
    if (clip !== null) this.#drawHead(context, this.#x(currentFrame()));
    this.#describe();
  }

  #drawRuler(context: CanvasRenderingContext2D): void {
    const { clip } = state;
    if (clip === null || clip.length < 2) return;
    const { quiet, line } = theme();
    // A number for every 80 pixels.
    const wanted = clip.length * 80 / this.#width;
    const step = Math.max(1, roundDown(Math.max(1, wanted * 1.6)));
    context.fillStyle = quiet;
    context.strokeStyle = line;
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center';
    for (let frame = 0; frame < clip.length; frame += step) {
      const x = Math.round(this.#x(frame)) + 0.5;
      context.beginPath();
      context.moveTo(x, 16);
      context.lineTo(x, HEIGHT - 12);
      context.stroke();
      context.fillText(String(frame), Math.max(x, 10), 12);
    }
  }

  #drawBuffer(context: CanvasRenderingContext2D): void {
    const { clip, loop } = state;
    const { line, quiet, accent } = theme();
    const y = HEIGHT - 10;
    const bar = (from: number, to: number, colour: string) => {
      context.fillStyle = colour;
      context.beginPath();
      context.roundRect(from, y, Math.max(0, to - from), 4, 2);
      context.fill();
    };
    bar(MARGIN, this.#width - MARGIN, line);
    if (clip === null || clip.frames === 0) return;
    bar(MARGIN, this.#x(clip.frames - 1), quiet);
    const [from, to] = loop ?? [0, state.time];
    bar(this.#x(from * clip.rate), this.#x(to * clip.rate), cssOf(accent));
  }

  #drawMark(context: CanvasRenderingContext2D, mark: Mark): void {
    const { [mark.severity]: colour, panel } = theme();
    const isChosen = mark.issue === state.issue;
    context.fillStyle = context.strokeStyle = cssOf(colour);
    if (mark.to > mark.x + 2) {
      context.globalAlpha = 0.35;
      context.fillRect(mark.x, LANE - 2, mark.to - mark.x, 4);
      context.globalAlpha = 1;
    }
    context.beginPath();
    drawShape(context, mark.severity, mark.x, LANE, isChosen ? 7 : 5);
    context.lineWidth = 2;
    if (mark.severity === 'hint') {
      context.stroke();
    } else {
      context.fill();
      context.strokeStyle = panel;
      context.lineWidth = 1;
      context.stroke();
    }
  }

  #drawHead(context: CanvasRenderingContext2D, x: number): void {
    const { accent } = theme();
    context.fillStyle = cssOf(accent);
    context.fillRect(x - 1, 14, 2, HEIGHT - 18);
    context.beginPath();
    context.roundRect(x - 5, HEIGHT - 14, 10, 12, 4);
    context.fill();
  }

  #describe(): void {
    const { clip } = state;
    const frame = currentFrame();
    const last = Math.max(0, (clip?.length ?? 1) - 1);
    this.setAttribute('aria-valuemax', String(last));
    this.setAttribute('aria-valuenow', String(frame));
    const at = clip === null ? 0 : frame / clip.rate;
    this.setAttribute('aria-valuetext',
                      `frame ${frame} of ${last}, ${at.toFixed(2)} s`);
  }
}

// Severities differ in shape, not only in colour.
function drawShape(context: CanvasRenderingContext2D, severity: Severity,
                   x: number, y: number, r: number): void {
  switch (severity) {
    case 'error':
      context.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
      break;
    case 'warning':
      context.moveTo(x, y - r * 1.15);
      context.lineTo(x + r * 1.15, y + r * 0.9);
      context.lineTo(x - r * 1.15, y + r * 0.9);
      context.closePath();
      break;
    default:
      context.arc(x, y, r * (severity === 'info' ? 0.95 : 0.7), 0,
                  2 * Math.PI);
  }
}

customElements.define('bvh-timeline', Timeline);

// Sets one end of the part that repeats to the time that is shown.
export function setLoopEnd(isEnd: boolean): void {
  const { clip, loop, time } = state;
  if (clip === null) return;
  const [from, to] = loop ?? [0, clip.duration];
  const next: [number, number] = isEnd ? [from, time] : [time, to];
  if (next[1] > next[0]) update({ loop: next });
}

// Goes to the next issue in time, or the one before.
export function stepIssue(direction: 1 | -1): void {
  const { clip } = state;
  if (clip === null) return;
  const frame = currentFrame();
  const stops = clip.issues
      .map((issue, index) => ({ index, frame: issue.location.frame ?? -1 }))
      .filter((stop) => stop.frame >= 0)
      .sort((a, b) => a.frame - b.frame || a.index - b.index);
  if (stops.length === 0) return;
  const at = stops.findIndex((stop) => stop.index === state.issue);
  const isHere = at >= 0 && stops[at].frame === frame;
  let next = direction > 0
      ? stops.findIndex((stop) => stop.frame > frame)
      : stops.findLastIndex((stop) => stop.frame < frame);
  if (isHere) next = at + direction;
  if (next < 0) next = direction > 0 ? 0 : stops.length - 1;
  selectIssue(stops[next % stops.length].index);
}

