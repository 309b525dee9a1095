// The list of joints, to pick them without a pointer.

import { button, el } from './dom';
import { describe } from './session';
import { pickJoint } from './stage';
import { state } from './store';
import { short } from './words';

// More joints than these are found by their name.
const ROWS = 400;

let filter = '';

export function jointList(redraw: () => void): Node[] {
  const joints = state.clip?.info?.joints ?? [];
  const depths: number[] = [];
  joints.forEach(({ parent }, i) => {
    depths[i] = parent < 0 ? 0 : depths[parent] + 1;
  });
  const search = el('input', {
    type: 'search', 'aria-label': 'Find a joint', placeholder: 'Find a joint',
    input: () => {
      filter = search.value;
      redraw();
    },
  });
  search.value = filter;
  const found = joints
      .map((joint, node) => ({ joint, node }))
      .filter(({ joint }) => !joint.end_site &&
          joint.name.toLowerCase().includes(filter.toLowerCase()));
  const rows = found.slice(0, ROWS).map(({ joint, node }) => {
    const item = button(
        joint.name, () => pickJoint(node, true),
        { class: 'joint',
          'aria-pressed': String(state.joints.includes(node)) });
    item.style.paddingLeft = `${8 + 10 * Math.min(depths[node], 12)}px`;
    return el('li', {}, item);
  });
  const picked = state.joints[0] ?? -1;
  return [
    el('p', { class: 'quiet small' },
       'Pick up to four joints to see their curves.'),
    search, about(picked), el('ul', { class: 'joints' }, ...rows),
    found.length > ROWS ? el('p', { class: 'quiet' },
                             `and ${found.length - ROWS} more`) : el('span'),
  ];
}

// The offset and the channels of the joint that was picked last.
function about(node: number): HTMLElement {
  const joint = state.clip?.info?.joints[node];
  if (joint === undefined) return el('div');
  const root = state.take?.options.body_root;
  const measured = state.clip?.result?.measures?.body_root;
  const isRoot = root === undefined ? node === measured : root === joint.name;
  return el(
      'div', { class: 'about' },
      el('strong', {}, joint.name),
      el('p', { class: 'quiet small' },
         `offset ${joint.offset.map(short).join(', ')} · channels ` +
         `${joint.channels || 'none'}`),
      isRoot ? el('p', { class: 'small' }, 'This joint carries the body.')
          : button('Use as body root',
                   () => describe({ body_root: joint.name }),
                   { class: 'chip' }));
}
