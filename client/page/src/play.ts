// The buttons beside the timeline.

import { byId, button, el } from './dom';
import { icon } from './icons';
import { togglePlaying } from './player';
import { seekFrame } from './session';
import { currentFrame, state, subscribe, update } from './store';
import { stepIssue } from './timeline';

const SPEEDS = ['0.1', '0.25', '0.5', '1', '2', '4'];

export function step(frames: number): void {
  seekFrame(currentFrame() + frames);
}

export function lastFrame(): void {
  seekFrame((state.clip?.frames ?? 1) - 1);
}

export function startPlayButtons(): void {
  const make = (name: string, label: string, click: () => void) =>
      button('', click, { class: 'icon', 'aria-label': label, title: label },
             icon(name));
  const play = make('play', 'Play', togglePlaying);
  play.classList.add('primary');
  const speed = el(
      'select', { 'aria-label': 'Speed',
                  change: () => update({ speed: Number(speed.value) }) },
      ...SPEEDS.map((value) =>
        el('option', { value, selected: value === '1' }, `${value}×`)));
  const readout = el('output', { class: 'readout' });
  const issues = el('span', { class: 'group' },
                    make('issueBack', 'Issue before (P)', () => stepIssue(-1)),
                    make('issueNext', 'Next issue (N)', () => stepIssue(1)));
  byId('play').append(
      el('span', { class: 'group' },
         make('first', 'First frame (Home)', () => seekFrame(0)),
         make('back', 'One frame back (Left)', () => step(-1)), play,
         make('next', 'One frame on (Right)', () => step(1)),
         make('last', 'Last frame (End)', lastFrame)),
      issues, readout, speed);

  subscribe((changed) => {
    if (changed.has('playing')) {
      const label = state.playing ? 'Pause' : 'Play';
      play.replaceChildren(icon(label.toLowerCase()));
      play.setAttribute('aria-label', label);
      play.title = `${label} (Space)`;
    }
    if (changed.has('speed')) speed.value = String(state.speed);
    const { clip } = state;
    if (clip === null) return;
    const frame = currentFrame();
    const last = Math.max(0, clip.length - 1);
    const digits = String(last).length;
    // A space as wide as a digit keeps the text in place.
    readout.textContent = `${String(frame).padStart(digits, '\u2007')} / ` +
        `${last} · ${(frame / clip.rate).toFixed(2)} s`;
    issues.hidden =
        !clip.issues.some(({ location }) => location.frame !== null);
  });
}
