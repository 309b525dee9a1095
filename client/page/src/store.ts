// The state of the page, in one place. Parts subscribe to it and are called
// once after a change, with the keys that changed.

import type { Clip } from './clip';
import type { Take } from './take';

export interface State {
  takes: Take[];
  // The chosen take and its clip; null on the start screen.
  take: Take | null;
  clip: Clip | null;
  // Seconds since the first frame.
  time: number;
  playing: boolean;
  speed: number;
  // Seconds; the part that repeats.
  loop: [number, number] | null;
  // The index of an issue of the report, or -1.
  issue: number;
  // The picked joints, the last one first; at most 4.
  joints: number[];
  // '' for none, 'anim', 'repair', or 'take:' and a name.
  compare: string;
  other: Clip | null;
  layout: 'side' | 'over';
  ghosts: boolean;
  trail: boolean;
  smooth: boolean;
  curve: 'position' | 'speed' | 'channels' | 'distance';
  panel: 'issues' | 'joints' | 'compare' | 'export';
  // Shown for some seconds, and read aloud.
  message: string;
  // Only read aloud.
  announcement: string;
}

export type Key = keyof State | 'progress' | 'options' | 'theme' |
    'reveal';

export const state: State = {
  takes: [], take: null, clip: null, time: 0, playing: false, speed: 1,
  loop: null, issue: -1, joints: [], compare: '', other: null, layout: 'side',
  ghosts: false, trail: false, smooth: false, curve: 'position',
  panel: 'issues', message: '', announcement: '',
};

type Listener = (changed: Set<Key>) => void;
const listeners: Listener[] = [];
let changed = new Set<Key>();

export function subscribe(listener: Listener): void {
  listeners.push(listener);
}

export function update(patch: Partial<State>): void {
  for (const key of Object.keys(patch) as (keyof State)[]) {
    if (state[key] !== patch[key]) touch(key);
  }
  Object.assign(state, patch);
}

// Tells the listeners that something inside `key` has changed.
export function touch(key: Key): void {
  if (changed.size === 0) queueMicrotask(flush);
  changed.add(key);
}

function flush(): void {
  const keys = changed;
  changed = new Set();
  for (const listener of listeners) listener(keys);
}

// The number of the frame that is shown.
export function currentFrame(): number {
  const { clip, time } = state;
  return clip === null ? 0 : clip.frameAt(time);
}
