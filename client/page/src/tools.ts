// The buttons over the view.

import { byId, button } from './dom';
import type { Stage } from './stage';
import { type State, state, subscribe, update } from './store';

type Flag = 'ghosts' | 'trail' | 'smooth';

const FLAGS: [Flag, string, string][] = [
  ['ghosts', 'Ghosts', 'Poses before and after (G)'],
  ['trail', 'Trail', 'Path of the picked joint in the last 2 s (T)'],
  ['smooth', 'Smooth', 'Poses between frames (S)'],
];

// The views of the keys 1, 3 and 7.
export const VIEWS: Record<string, [string, number, number]> = {
  1: ['Front', 0, 0], 3: ['Side', Math.PI / 2, 0], 7: ['Top', 0, 1.5],
};

export function flip(flag: Flag): void {
  const patch: Partial<State> = {};
  patch[flag] = !state[flag];
  update(patch);
}

export function startTools(stage: Stage): void {
  const tools = byId('tools');
  for (const [key, [name, yaw, pitch]] of Object.entries(VIEWS)) {
    tools.append(button(name, () => stage.look(yaw, pitch),
                        { title: `${name} (${key})` }));
  }
  tools.append(
      button('Fit', () => stage.frameAll(),
             { title: 'Show the whole motion (F)' }),
      button('+', () => stage.zoom(0.8), { 'aria-label': 'Nearer' }),
      button('−', () => stage.zoom(1.25), { 'aria-label': 'Farther' }));
  const flags = FLAGS.map(([flag, name, title]) => {
    const flagButton = button(name, () => flip(flag), { title });
    tools.append(flagButton);
    return [flag, flagButton] as const;
  });
  const show = () => {
    for (const [flag, flagButton] of flags) {
      flagButton.setAttribute('aria-pressed', String(state[flag]));
    }
  };
  show();
  subscribe(show);
  // Pointers on the buttons do not turn the camera.
  for (const name of ['pointerdown', 'wheel']) {
    tools.addEventListener(name, (event) => event.stopPropagation());
  }
}
