// Opens takes: the chosen one with its rows, and the one beside it.

import { Clip } from './clip';
import type { Axis } from './figure';
import { count } from './words';
import { state, touch, update } from './store';
import { summarize } from './summaries';
import type { Take, TakeOptions } from './take';

const still = matchMedia('(prefers-reduced-motion: reduce)');

// What to do after the take is open: the part of a deep link that needs it.
export interface Arrival {
  time?: number;
  frame?: number;
  issueCode?: string;
  joint?: string;
  compare?: string;
}

let arrival: Arrival = {};

export function openTake(take: Take, then: Arrival = {}): void {
  performance.mark('chosen');
  document.documentElement.dataset.state = 'reading';
  leave();
  arrival = then;
  take.state = 'reading';
  take.error = '';
  const clip = new Clip(take.file, { options: { ...take.options } },
                        (notice) => changed(take, clip, notice));
  const plays = !still.matches && Object.keys(then).length === 0;
  update({
    take, clip, other: null, compare: '', time: 0, issue: -1, joints: [],
    loop: null, playing: plays, announcement: `Reading ${take.name}`,
  });
}

export function closeTake(): void {
  leave();
  document.documentElement.dataset.state = 'start';
  update({ take: null, clip: null, other: null, playing: false, compare: '',
           issue: -1, joints: [] });
  summarize();
}

// Ends the clips. A take that was not read to its end is read for the list.
function leave(): void {
  const { take, clip, other } = state;
  clip?.close();
  other?.close();
  if (take !== null && take.state === 'reading') take.state = 'waiting';
}

function changed(take: Take, clip: Clip, notice: string): void {
  if (state.clip !== clip) return;
  if (notice === 'skeleton' && clip.info !== null) {
    take.joints = clip.info.joints;
    take.pose = clip.firstPose;
    performance.mark('skeleton');
  }
  if (notice === 'done') finish(take, clip);
  if (notice === 'failed') fail(take, clip);
  if (notice !== 'poses' && clip.info !== null) arrive(clip);
  touch('progress');
}

function finish(take: Take, clip: Clip): void {
  performance.mark('all-read');
  document.documentElement.dataset.state = 'done';
  take.result = clip.result;
  take.state = 'done';
  if (take.joints.length === 0) take.joints = clip.info?.joints ?? [];
  const { counts } = clip.result!.report;
  update({
    announcement: `${take.name}: ${count(clip.frames, 'frame')}, ` +
        `${count(counts.errors, 'error')}, ` +
        count(counts.warnings, 'warning'),
  });
  if (clip.frames === 0) update({ playing: false });
}

function fail(take: Take, clip: Clip): void {
  document.documentElement.dataset.state = 'failed';
  take.state = 'failed';
  take.error = clip.error;
  update({ playing: false });
}

// Goes where the link says, once the clip has what it names.
function arrive(clip: Clip): void {
  const { frame, time, joint, issueCode, compare } = arrival;
  const goal = time ?? (frame === undefined ? undefined : frame / clip.rate);
  if (goal !== undefined && (clip.isRead || clip.frames > goal * clip.rate)) {
    arrival.time = arrival.frame = undefined;
    seek(goal);
  }
  if (joint !== undefined) {
    arrival.joint = undefined;
    const node = clip.info!.joints.findIndex(({ name }) => name === joint);
    if (node >= 0) update({ joints: [node] });
  }
  if (!clip.isRead) return;
  if (issueCode !== undefined) {
    arrival.issueCode = undefined;
    const index = clip.issues.findIndex(({ code }) => code === issueCode);
    if (index >= 0) selectIssue(index, goal === undefined);
  }
  if (compare !== undefined) {
    arrival.compare = undefined;
    openOther(compare);
  }
}

// Shows a time and stops.
export function seek(time: number): void {
  const { clip } = state;
  if (clip === null) return;
  const end = Math.max(0, clip.frames - 1) / clip.rate;
  update({ time: Math.max(0, Math.min(time, end)), playing: false });
}

export function seekFrame(frame: number): void {
  if (state.clip !== null) seek(frame / state.clip.rate);
}

// Chooses an issue; shows its frame if it has one.
export function selectIssue(index: number, goes = true): void {
  const { clip } = state;
  if (clip === null) return;
  update({ issue: index, panel: 'issues' });
  const frame = clip.issues[index]?.location.frame ?? null;
  if (frame === null) return;
  if (goes) seekFrame(frame);
  touch('reveal');
}

// The repairs of `bvhmill repair --all`.
export const REPAIRS = {
  drop_repeated: true, snap_rate: true, fill_gaps: 10, replace_spikes: true,
  unwrap: true,
};

// Opens what is shown beside the take.
export function openOther(compare: string): void {
  const { take } = state;
  state.other?.close();
  update({ other: null, compare });
  if (take === null || compare === '') return;
  const changed = () => {
    if (state.other === other) touch('other');
    else other?.close();
  };
  let other: Clip | null = null;
  if (compare === 'anim') {
    other = new Clip(take.file, { options: { ...take.options }, via: 'anim' },
                     changed);
  } else if (compare === 'repair') {
    other = new Clip(take.file, { options: { ...take.options, ...REPAIRS } },
                     changed);
  } else {
    const name = compare.slice('take:'.length);
    const found = state.takes.find((t) => t.path === name && t !== take);
    if (found) other = new Clip(found.file, { options: {} }, changed);
  }
  if (other === null) update({ compare: '' });
  else update({ other });
}

export function otherName(): string {
  const { compare } = state;
  if (compare === 'anim') return 'as .anim';
  if (compare === 'repair') return 'repaired';
  return compare.slice('take:'.length);
}

// The up axis of what is beside the take.
export function otherUp(): Axis {
  const take = state.takes.find(({ path }) => state.compare === `take:${path}`);
  return take?.options.up ?? 'y';
}

// Changes what is known about the take.
export function describe(options: TakeOptions): void {
  const { take } = state;
  if (take === null) return;
  take.options = Object.fromEntries(
      Object.entries({ ...take.options, ...options })
          .filter(([, value]) => value !== undefined));
  touch('options');
  if (state.compare !== '') openOther(state.compare);
}
