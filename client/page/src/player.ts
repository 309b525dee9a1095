// The clock: moves the time while the take plays. It waits at the edge of what
// is read.

import { state, subscribe, update } from './store';

let last = 0;
let request = 0;

export function startPlayer(): void {
  subscribe((changed) => {
    if (changed.has('playing')) schedule();
  });
  document.addEventListener('visibilitychange', schedule);
}

function schedule(): void {
  cancelAnimationFrame(request);
  last = 0;
  if (state.playing && !document.hidden) request = requestAnimationFrame(tick);
}

function tick(now: number): void {
  request = requestAnimationFrame(tick);
  const passed = last === 0 ? 0 : Math.min(0.1, (now - last) / 1000);
  last = now;
  const { clip, loop, speed } = state;
  if (clip === null || clip.frames === 0) return;
  const end = Math.max(0, clip.frames - 1) / clip.rate;
  const [from, to] = loop ?? [0, end];
  let time = state.time + passed * speed;
  if (time > to || time < from) {
    // Before all is read, the end is only the edge.
    time = loop === null && !clip.isRead && speed > 0 ? end
        : speed > 0 ? from : to;
  }
  update({ time });
}

export function togglePlaying(): void {
  const { clip, playing } = state;
  if (clip !== null && clip.frames > 0) update({ playing: !playing });
}
