// The start screen: where to drop files, the takes that were chosen, and the
// gallery.

import { byId, button, el, severityMark } from './dom';
import { openTake } from './session';
import { drawStill } from './still';
import { state, subscribe } from './store';
import { severityOf, type Take, verdictOf } from './take';
import { isDark } from './theme';
import { bytes, count } from './words';

// So many rows are in the document before "Show more".
const ROWS = 200;

let shownRows = ROWS;
const stills = new Map<string, HTMLCanvasElement>();

export function startScreen(): void {
  byId('choose').append(
      button('Choose files', () => byId('files').click(),
             { class: 'primary' }),
      button('Choose a folder', () => byId('folder').click()));
  let request = 0;
  subscribe((changed) => {
    if (changed.has('theme')) stills.clear();
    if (!changed.has('takes') && !changed.has('take') &&
        !changed.has('theme')) return;
    byId('start').hidden = state.take !== null;
    byId('work').hidden = state.take === null;
    if (state.take !== null || request !== 0) return;
    request = requestAnimationFrame(() => {
      request = 0;
      draw();
    });
  });
}

function draw(): void {
  const own = state.takes.filter(({ path }) => !path.startsWith('gallery/'));
  const gallery = state.takes.filter(({ path }) =>
    path.startsWith('gallery/'));
  document.documentElement.classList.toggle('has-takes', own.length > 0);
  drawOverview(own);
  byId('gallery').replaceChildren(...gallery.length > 0
      ? [el('h2', {}, 'Try one of these'),
         el('div', { class: 'cards' }, ...gallery.map(card))] : []);
}

// The list that is shown, and what each row shows. Only rows that change are
// made anew, so that the focus stays.
let shown = '';
const signs = new Map<number, string>();

function drawOverview(takes: Take[]): void {
  const holder = byId('overview');
  const list = takes.map(({ id }) => id).join() + shownRows;
  if (list !== shown) {
    shown = list;
    signs.clear();
    holder.replaceChildren(...overview(takes));
  }
  if (takes.length === 0) return;
  holder.querySelector('small')!.textContent = tally(takes);
  const body = holder.querySelector('tbody')!;
  takes.slice(0, shownRows).forEach((take, i) => {
    const sign = `${verdictOf(take)} ${take.pose !== null} ${isDark()}`;
    if (signs.get(take.id) === sign) return;
    signs.set(take.id, sign);
    body.children[i].replaceWith(row(take));
  });
}

function tally(takes: Take[]): string {
  const done = takes.filter(({ result, error }) => result || error);
  const words = [];
  for (const verdict of ['valid', 'accepted', 'invalid', 'unreadable']) {
    const n = done.filter((take) => verdictOf(take) === verdict).length;
    if (n > 0) words.push(`${n} ${verdict}`);
  }
  const rest = takes.length - done.length;
  if (rest > 0) words.push(`${rest} to read`);
  return words.join(', ');
}

function overview(takes: Take[]): Node[] {
  if (takes.length === 0) return [];
  const heads = ['', 'Take', 'Verdict', 'Frames', 'Size', 'First issue'];
  const head = (text: string) => text === '' ? el('td') : el(
      'th', { scope: 'col', class: /Frames|Size/.test(text) ? 'number' : '' },
      text);
  const nodes: Node[] = [
    el('h2', {}, count(takes.length, 'take'), ' ', el('small')),
    el('table', { class: 'takes' },
       el('thead', {}, el('tr', {}, ...heads.map(head))),
       el('tbody', {}, ...takes.slice(0, shownRows).map(() => el('tr')))),
  ];
  if (takes.length > shownRows) {
    nodes.push(button(`Show ${takes.length - shownRows} more`, () => {
      shownRows += ROWS;
      draw();
    }));
  }
  return nodes;
}

function row(take: Take): HTMLTableRowElement {
  const { result } = take;
  const issue = result?.report.issues[0];
  const verdict = verdictOf(take);
  const first = issue
      ? [severityMark(severityOf(issue)), ` ${issue.message}`]
      : [take.error];
  return el(
      'tr', { 'data-take': String(take.id) },
      el('td', { class: 'still' }, still(take, 56, 56)),
      el('th', { scope: 'row' },
         button(take.path, () => openTake(take), { class: 'link' })),
      el('td', {}, el('span', { class: `verdict ${verdict}` }, verdict)),
      el('td', { class: 'number count' },
         result ? result.info.frames.toLocaleString('en') : ''),
      el('td', { class: 'number' }, bytes(take.file.size)),
      el('td', { class: 'first' }, ...first));
}

function card(take: Take): HTMLElement {
  return button('', () => openTake(take),
                { class: 'card', 'data-take': String(take.id) },
                still(take, 176, 132) ?? el('span', { class: 'empty' }),
                el('span', {}, take.name));
}

// Drawn once for each take.
function still(take: Take, width: number, height: number): Node | null {
  const key = `${take.id} ${width}`;
  let canvas = stills.get(key) ?? null;
  if (canvas === null) {
    canvas = drawStill(take, width, height);
    if (canvas !== null) stills.set(key, canvas);
  }
  return canvas;
}
