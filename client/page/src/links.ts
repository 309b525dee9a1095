// Deep links: the part of the address after # says what is shown.
//
//   #take=walk.bvh&frame=120&issue=DATA_SPIKE&joint=Head&up=z&units=cm
//   &body_root=Hips&compare=anim
//
// A take of the gallery or of the document is opened at once, any other when a
// file of this name is chosen.

import { openTake } from './session';
import { currentFrame, state, subscribe } from './store';
import type { Take, TakeOptions } from './take';

let wanted: URLSearchParams | null = null;
let written = '';

export function startLinks(): void {
  read();
  addEventListener('hashchange', () => {
    if (location.hash.slice(1) === written) return;
    read();
    openLinked();
  });
  let timer = 0;
  subscribe(() => {
    if (timer !== 0 || state.playing) return;
    timer = window.setTimeout(() => {
      timer = 0;
      write();
    }, 250);
  });
}

function read(): void {
  const params = new URLSearchParams(location.hash.slice(1));
  wanted = params.has('take') ? params : null;
}

// Opens the take that the link names, if it is there. True if it is.
export function openLinked(): boolean {
  const name = wanted?.get('take');
  if (wanted === null || !name) return false;
  const take = state.takes.find(
      (take) => take.path === name || take.name === name);
  if (take === undefined) return false;
  const params = wanted;
  wanted = null;
  take.options = optionsOf(params);
  const frame = Number(params.get('frame') ?? NaN);
  openTake(take, {
    frame: Number.isInteger(frame) && frame >= 0 ? frame : undefined,
    issueCode: params.get('issue') ?? undefined,
    joint: params.get('joint') ?? undefined,
    compare: params.get('compare') ?? undefined,
  });
  return true;
}

function optionsOf(params: URLSearchParams): TakeOptions {
  const options: TakeOptions = {};
  const up = params.get('up');
  if (up === 'x' || up === 'y' || up === 'z') options.up = up;
  const units = params.get('units');
  if (units && /^(m|cm|mm|in|ft)$/.test(units)) options.units = units;
  const root = params.get('body_root');
  if (root) options.body_root = root;
  return options;
}

export function linkOf(take: Take): string {
  const params = new URLSearchParams({ take: take.path });
  const { clip, issue, joints, compare } = state;
  if (currentFrame() > 0) params.set('frame', String(currentFrame()));
  const code = clip?.issues[issue]?.code;
  if (code) params.set('issue', code);
  const joint = clip?.info?.joints[joints[0]]?.name;
  if (joint) params.set('joint', joint);
  for (const [key, value] of Object.entries(take.options)) {
    params.set(key, value);
  }
  if (compare) params.set('compare', compare);
  return params.toString();
}

function write(): void {
  // A link whose take has not been chosen yet stays.
  if (wanted !== null || (state.take !== null && !state.clip?.isRead)) return;
  written = state.take === null ? '' : linkOf(state.take);
  const hash = written === '' ? location.pathname + location.search
      : `#${written}`;
  if (`#${written}` !== location.hash && `${written}${location.hash}` !== '') {
    history.replaceState(null, '', hash);
  }
}

