// Curves of the picked joints over time, in line with the timeline.

import type uPlot from 'uplot';

import { distances } from './compare';
import { byId, choice, button, el } from './dom';
import { seekFrame } from './session';
import type { Stage } from './stage';
import { currentFrame, state, type State, subscribe, update } from './store';
import { theme } from './theme';
import { short } from './words';

type Kind = State['curve'];

export interface Curve {
  label: string;
  values: ArrayLike<number>;
}

export interface Curves {
  // Frames, ascending; not all of them if there are many.
  frames: ArrayLike<number>;
  curves: Curve[];
}

// As in the timeline.
const MARGIN = 14;
const HEIGHT = 96;
const WAIT_MS = 400;

let plot: uPlot | null = null;
let shown: Curves | null = null;
let asked = 0;

export function startCurves(stage: Stage): void {
  const holder = byId('curves');
  const legend = el('div', { class: 'legend', role: 'img' });
  const kinds = el('div');
  const chart = el('div', { class: 'chart' });
  const head = el('div', { class: 'head' });
  chart.append(head);
  holder.append(el('div', { class: 'curve-bar' }, kinds, legend, button(
      'Close', () => update({ joints: [] }), { class: 'chip' })), chart);
  chart.addEventListener('pointerdown', (event) => {
    const { clip } = state;
    if (clip === null) return;
    const { left, width } = chart.getBoundingClientRect();
    const part = (event.clientX - left - MARGIN) / (width - 2 * MARGIN);
    seekFrame(Math.round(part * (clip.length - 1)));
  });
  new ResizeObserver(() => draw(chart)).observe(chart);

  let timer = 0;
  const refresh = async () => {
    timer = 0;
    const mine = ++asked;
    const curves = await curvesOf(chart.clientWidth).catch(() => null);
    if (mine !== asked) return;
    shown = curves;
    await draw(chart);
    showValues(legend);
  };
  subscribe((changed) => {
    const isOpen = state.joints.length > 0 && state.clip !== null;
    if (holder.hidden === isOpen) {
      holder.hidden = !isOpen;
      stage.draw();
    }
    if (!isOpen) return;
    if (changed.has('joints') || changed.has('curve') || changed.has('theme') ||
        changed.has('other')) {
      kinds.replaceChildren(chooser());
      clearTimeout(timer);
      refresh();
    } else if (changed.has('progress') && timer === 0 && isStale()) {
      timer = window.setTimeout(refresh, WAIT_MS);
    }
    moveHead(head, chart.clientWidth);
    if (changed.has('time')) showValues(legend);
  });
}

// True if frames were read since the curves were made.
function isStale(): boolean {
  const frames = shown?.frames;
  const last = frames?.[frames.length - 1] ?? -1;
  return state.curve !== 'distance' && last < (state.clip?.frames ?? 0) - 1;
}

function chooser(): HTMLElement {
  const kinds: [Kind, string][] =
      [['position', 'Position'], ['speed', 'Speed'], ['channels', 'Channels']];
  if (state.other !== null) kinds.push(['distance', 'Distance']);
  return choice('Curve', kinds, state.curve,
                (kind) => update({ curve: kind as Kind }));
}

async function curvesOf(width: number): Promise<Curves | null> {
  const { clip, joints, curve } = state;
  if (clip === null || clip.info === null || joints.length === 0) return null;
  if (curve === 'distance') return distanceCurves();
  const nodes = curve === 'speed' ? joints : joints.slice(0, 1);
  const parts = await Promise.all(nodes.map((node) => clip.ask<Curves>({
    kind: 'curves', node, what: curve, rate: clip.rate,
    buckets: Math.max(100, width),
  })));
  return { frames: parts[0].frames, curves: parts.flatMap((p) => p.curves) };
}

function distanceCurves(): Curves | null {
  const result = distances();
  const { clip, joints } = state;
  if (result === null || clip === null) return null;
  const curves = joints.flatMap((node) =>
    result.joints.filter((joint) => joint.node === node)
        .map(({ name, values }) => ({ label: name, values })));
  return { frames: result.times.map((t) => t * clip.rate), curves };
}

async function draw(chart: HTMLElement): Promise<void> {
  const { default: Plot } = await import('uplot');
  plot?.destroy();
  plot = null;
  const { clip } = state;
  const width = chart.clientWidth;
  if (shown === null || shown.curves.length === 0 || clip === null ||
      width === 0) return;
  const { series, line } = theme();
  const grid = { stroke: line, width: 1 };
  plot = new Plot({
    width, height: HEIGHT,
    padding: [6, MARGIN, 4, MARGIN],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: [0, Math.max(1, clip.length - 1)] } },
    axes: [{ show: false },
           { size: 0, grid, ticks: { show: false }, values: () => [] }],
    series: [{}, ...shown.curves.map((_, i) => ({
      stroke: series[i % series.length], width: 1.5, points: { show: false },
      dash: i >= series.length ? [4, 3] : undefined,
    }))],
  }, [Array.from(shown.frames),
      ...shown.curves.map(({ values }) => Array.from(
          values, (v) => Number.isFinite(v) ? v : null))], chart);
}

function moveHead(head: HTMLElement, width: number): void {
  const { clip } = state;
  if (clip === null) return;
  const part = currentFrame() / Math.max(1, clip.length - 1);
  head.style.transform =
      `translateX(${MARGIN + (width - 2 * MARGIN) * part}px)`;
}

// The values at the frame that is shown.
function showValues(legend: HTMLElement): void {
  const { clip, joints, curve } = state;
  if (shown === null || clip === null) {
    legend.replaceChildren();
    return;
  }
  const frame = currentFrame();
  const frames = Array.from(shown.frames);
  const at = Math.max(0, frames.findLastIndex((f) => f <= frame));
  const name = curve === 'position' || curve === 'channels'
      ? `${clip.info?.joints[joints[0]]?.name ?? ''} ` : '';
  const { series } = theme();
  legend.replaceChildren(
      el('strong', {}, name), ...shown.curves.map(({ label, values }, i) => {
        const swatch = el('i', { class: 'swatch' });
        swatch.style.background = series[i % series.length];
        return el('span', {}, swatch, `${label} ${short(values[at])}`);
      }));
  legend.setAttribute('aria-label', legend.textContent ?? '');
}
