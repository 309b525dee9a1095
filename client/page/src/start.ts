// The start screen: where to drop files, the takes that were chosen, and the
// gallery.

import { byId, button, el, severityMark } from './dom';
import { openTake } from './session';
import { drawStill } from './still';
import { state, subscribe } from './store';
import { severityOf, type Take, verdictOf } from './take';
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
  byId('overview').replaceChildren(...own.length > 0 ? overview(own) : []);
  byId('gallery').replaceChildren(...gallery.length > 0
      ? [el('h2', {}, 'Try one of these'),
         el('div', { class: 'cards' }, ...gallery.map(card))] : []);
}

function overview(takes: Take[]): Node[] {
  const done = takes.filter(({ result, error }) => result || error);
  const tally = new Map<string, number>();
  for (const take of done) {
    const verdict = verdictOf(take);
    tally.set(verdict, (tally.get(verdict) ?? 0) + 1);
  }
  const words = ['valid', 'accepted', 'invalid', 'unreadable']
      .filter((verdict) => tally.has(verdict))
      .map((verdict) => `${tally.get(verdict)} ${verdict}`);
  const rest = takes.length - done.length;
  if (rest > 0) words.push(`${rest} to read`);
  const body = el('tbody', {}, ...takes.slice(0, shownRows).map(row));
  const heads = ['', 'Take', 'Verdict', 'Frames', 'Size', 'First issue'];
  const nodes: Node[] = [
    el('h2', {}, count(takes.length, 'take'), ' ',
       el('small', {}, words.join(', '))),
    el('table', { class: 'takes' },
       el('thead', {}, el('tr', {}, ...heads.map((head) =>
         head === '' ? el('td') : el(
             'th', { scope: 'col', class: /Frames|Size/.test(head)
               ? 'number' : '' }, head)))),
       body),
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
      el('td', { class: 'number frames' },
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
