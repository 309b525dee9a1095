// What the take is: its verdict, its size, and what is known about its unit and
// its up axis.

import { choice, button, el } from './dom';
import { describe } from './session';
import { state } from './store';
import { type TakeOptions, verdictOf } from './take';
import { bytes, count, seconds, short } from './words';

const UNITS: [string, string][] = [
  ['', 'unknown'], ['m', 'meters'], ['cm', 'centimeters'],
  ['mm', 'millimeters'], ['in', 'inches'], ['ft', 'feet'],
];
const AXES: [string, string][] = [['', 'Y (usual)'], ['x', 'X'], ['y', 'Y'],
                                  ['z', 'Z']];

export function facts(): HTMLElement {
  const { take, clip } = state;
  if (take === null || clip === null) return el('div');
  const verdict = verdictOf(take);
  return el(
      'div', { class: 'facts' },
      el('div', { class: 'headline' },
         el('span', { class: `verdict ${verdict}` }, verdict),
         el('span', { class: 'quiet' }, summary())),
      el('div', { class: 'fields' },
         choice('Up', AXES, take.options.up ?? '', (up) =>
           describe({ up: (up || undefined) as TakeOptions['up'] })),
         choice('Unit', UNITS, take.options.units ?? '', (units) =>
           describe({ units: units || undefined }))),
      ...suggestions());
}

function summary(): string {
  const { take, clip } = state;
  if (take === null || clip === null || clip.info === null) return '';
  const parts = [
    count(clip.frames, 'frame'), `${short(clip.info.frames_per_second)} fps`,
    seconds(clip.frames / clip.rate), count(clip.info.joint_count, 'joint'),
    bytes(take.file.size),
  ];
  const height = clip.result?.measures?.height;
  if (height) {
    parts.push(`height ${short(height)} ${take.options.units ?? ''}`.trim());
  }
  return parts.join(' · ');
}

// The hints of the report about the unit and the up axis, as buttons.
function suggestions(): Node[] {
  const { take, clip } = state;
  const out: Node[] = [];
  for (const { code, args } of clip?.issues ?? []) {
    if (code === 'DATA_UNIT_GUESS' && take?.options.units === undefined) {
      const unit = UNITS.find(([, name]) => name === args.unit)?.[0];
      if (unit) {
        out.push(button(`Looks like ${args.unit}: use`,
                        () => describe({ units: unit }), { class: 'chip' }));
      }
    }
    const axis = args.axis?.toLowerCase();
    if (code === 'DATA_UP_AXIS_GUESS' && take?.options.up === undefined &&
        (axis === 'x' || axis === 'y' || axis === 'z')) {
      out.push(button(`${args.axis} may be up: use`,
                      () => describe({ up: axis }), { class: 'chip' }));
    }
  }
  return out;
}
