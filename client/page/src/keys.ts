// The keys. Each has a button, too.

import { byId, button, el } from './dom';
import { lastFrame, step } from './play';
import { togglePlaying } from './player';
import { closeTake, seekFrame } from './session';
import type { Stage } from './stage';
import { state, update } from './store';
import { switchTheme } from './theme';
import { setLoopEnd, stepIssue } from './timeline';
import { flip, VIEWS } from './tools';

type Keys = [keys: string[], about: string,
             run: (event: KeyboardEvent) => void];

function table(stage: Stage): Keys[] {
  return [
    [[' ', 'k'], 'Play or pause', togglePlaying],
    [['ArrowLeft', ','], 'One frame back; with Shift 10',
     (event) => step(event.shiftKey ? -10 : -1)],
    [['ArrowRight', '.'], 'One frame on; with Shift 10',
     (event) => step(event.shiftKey ? 10 : 1)],
    [['Home'], 'First frame', () => seekFrame(0)],
    [['End'], 'Last frame', lastFrame],
    [['j'], 'Slower, or backward', () => faster(-1)],
    [['l'], 'Faster', () => faster(1)],
    [['n'], 'Next issue', () => stepIssue(1)],
    [['p'], 'Issue before', () => stepIssue(-1)],
    [['['], 'Begin of the part that repeats', () => setLoopEnd(false)],
    [[']'], 'End of the part that repeats', () => setLoopEnd(true)],
    [['\\'], 'Repeat all', () => update({ loop: null })],
    [['f'], 'Show the whole motion', () => stage.frameAll()],
    ...Object.entries(VIEWS).map(([key, [name, yaw, pitch]]): Keys =>
      [[key], `View: ${name.toLowerCase()}`, () => stage.look(yaw, pitch)]),
    [['g'], 'Ghosts: poses before and after', () => flip('ghosts')],
    [['t'], 'Trail of the picked joint', () => flip('trail')],
    [['s'], 'Poses between frames', () => flip('smooth')],
    [['d'], 'Dark or light', switchTheme],
    [['Escape'], 'Back to all takes', closeTake],
    [['?'], 'These keys', showKeys],
  ];
}

const SPEEDS = [-4, -2, -1, -0.5, 0.1, 0.25, 0.5, 1, 2, 4];

function faster(by: number): void {
  const at = SPEEDS.indexOf(state.speed);
  const next = Math.max(0, Math.min(SPEEDS.length - 1, at + by));
  update({ speed: SPEEDS[next], playing: true });
}

export function showKeys(): void {
  byId<HTMLDialogElement>('keys').showModal();
}

export function startKeys(stage: Stage): void {
  const keys = table(stage);
  const dialog = byId<HTMLDialogElement>('keys');
  dialog.append(
      el('h2', {}, 'Keys'),
      el('dl', {}, ...keys.flatMap(([names, about]) => [
        el('dt', {}, ...names.map((name) => el('kbd', {}, nameOf(name)))),
        el('dd', {}, about),
      ])),
      button('Close', () => dialog.close(), { class: 'primary' }));
  addEventListener('keydown', (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const found = keys.find(([names]) =>
      names.includes(event.key) || names.includes(event.key.toLowerCase()));
    if (found === undefined || dialog.open) return;
    if (state.take === null && event.key !== '?' && event.key !== 'd') return;
    event.preventDefault();
    found[2](event);
  });
}

function nameOf(key: string): string {
  return { ' ': 'Space', ArrowLeft: '←', ArrowRight: '→' }[key] ??
      (key.length === 1 ? key.toUpperCase() : key);
}

// Keys that the focused element needs itself.
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.matches('input:not([type=checkbox]), textarea, select')) {
    return true;
  }
  return event.key === ' ' && target.matches('button, input');
}
