// Reads the takes that wait, at most two at a time, each for its report and its
// first pose.

import { Clip } from './clip';
import { state, touch } from './store';
import type { Take } from './take';

const MOST_AT_ONCE = 2;

const running = new Set<Take>();
// Workers that have no clip.
const idle: Worker[] = [];

export function summarize(): void {
  while (running.size < MOST_AT_ONCE) {
    const take = state.takes.find(
        ({ state, id }) => state === 'waiting' && id !== chosen());
    if (take === undefined) return;
    start(take);
  }
}

function chosen(): number {
  return state.take?.id ?? -1;
}

function start(take: Take): void {
  running.add(take);
  take.state = 'reading';
  const clip = new Clip(take.file, {
    options: {}, summary: true, worker: idle.pop(),
  }, (notice) => {
    if (notice === 'skeleton') {
      take.joints = clip.info?.joints ?? [];
      take.pose = clip.firstPose;
    } else if (notice === 'done' || notice === 'failed') {
      // The take may have been opened and read meanwhile.
      if (take.result === null) {
        take.result = clip.result;
        take.error = clip.error;
        take.state = notice;
      }
      const worker = clip.release();
      if (worker !== null) idle.push(worker);
      running.delete(take);
      summarize();
      if (running.size === 0) {
        for (const worker of idle.splice(0)) worker.terminate();
      }
    } else {
      return;
    }
    touch('takes');
  });
}
