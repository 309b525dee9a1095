// Starts the page: makes its parts, and opens what is chosen.

import './style.css';
import 'uplot/dist/uPlot.min.css';
import './timeline';

import { startCurves } from './curves';
import { byId, button } from './dom';
import { acceptFiles, type Chosen } from './drop';
import { embeddedTakes, galleryTakes } from './gallery';
import { icon } from './icons';
import { showKeys, startKeys } from './keys';
import { openLinked, startLinks } from './links';
import { prepareWorker } from './module';
import { startPanel } from './panel';
import { startPlayButtons } from './play';
import { startPlayer } from './player';
import { closeTake, openTake } from './session';
import { Stage } from './stage';
import { startScreen } from './start';
import { state, subscribe, touch, update } from './store';
import { summarize } from './summaries';
import { makeTake, type Take } from './take';
import { switchTheme } from './theme';
import { startTools } from './tools';

function chosen(files: Chosen[]): void {
  if (files.length === 0) {
    update({ message: 'There is no .bvh and no .anim file' });
    return;
  }
  open(files.map(({ file, path }) => makeTake(file, path)));
}

// Opens one take at once; several are listed.
function open(takes: Take[]): void {
  update({ takes: [...state.takes, ...takes] });
  if (openLinked()) return;
  if (takes.length === 1) openTake(takes[0]);
  else closeTake();
  summarize();
}

function startHeader(): void {
  byId('home').addEventListener('click', closeTake);
  byId('actions').append(
      button('Open', () => byId('files').click()),
      button('', switchTheme, { class: 'icon', 'aria-label': 'Dark or light',
                                title: 'Dark or light (D)' }, icon('theme')),
      button('?', showKeys, { class: 'icon', 'aria-label': 'Keys',
                              title: 'Keys (?)' }));
  const crumbs = byId('crumbs');
  const move = (by: number) => {
    const at = state.takes.indexOf(state.take!);
    openTake(state.takes[(at + by + state.takes.length) % state.takes.length]);
  };
  subscribe((changed) => {
    if (!changed.has('take') && !changed.has('takes')) return;
    const { take, takes } = state;
    document.title = take === null ? 'bvhmill' : `${take.name} - bvhmill`;
    crumbs.replaceChildren();
    if (take === null) return;
    crumbs.append(document.createElement('h1'));
    crumbs.firstElementChild!.textContent = take.path.replace('gallery/', '');
    if (takes.length < 2) return;
    crumbs.append(
        button('', () => move(-1), { class: 'icon', 'aria-label': 'Take before',
                                     title: 'Take before' }, icon('back')),
        button('', () => move(1), { class: 'icon', 'aria-label': 'Next take',
                                    title: 'Next take' }, icon('next')));
  });
}

// Errors of a take, and what happens, in words.
function startNotices(): void {
  const notice = byId('notice');
  const live = byId('live');
  let timer = 0;
  subscribe((changed) => {
    const { take, clip } = state;
    if (changed.has('message')) {
      live.textContent = state.message;
      live.classList.add('shown');
      clearTimeout(timer);
      timer = window.setTimeout(() => live.classList.remove('shown'), 3000);
    }
    if (changed.has('announcement')) {
      byId('aloud').textContent = state.announcement;
    }
    const first = clip?.result?.report.issues[0];
    let text = take?.error ?? '';
    if (text === '' && clip?.isRead && clip.frames === 0) {
      text = first === undefined ? 'The file has no frames'
          : `This file cannot be shown: ${first.message}`;
    }
    if (notice.textContent !== text) notice.textContent = text;
    notice.hidden = text === '';
    document.documentElement.classList.toggle(
        'reading', clip !== null && !clip.isRead);
  });
}

async function openOwn(): Promise<void> {
  const embedded = await embeddedTakes();
  if (embedded.length > 0) open(embedded);
  const gallery = await galleryTakes();
  if (gallery.length === 0) return;
  update({ takes: [...gallery, ...state.takes] });
  openLinked();
  summarize();
}

function start(): void {
  startScreen();
  const stage = new Stage(byId('stage'));
  startHeader();
  startTools(stage);
  startPlayButtons();
  startPlayer();
  startPanel();
  startCurves(stage);
  startKeys(stage);
  startLinks();
  startNotices();
  acceptFiles(chosen);
  touch('takes');
  openOwn().catch((error: Error) => update({ message: error.message }));
  prepareWorker();
  document.documentElement.dataset.ready = '';
}

// An element with takes may stand after this script.
if (document.readyState === 'loading') {
  addEventListener('DOMContentLoaded', start);
} else {
  start();
}
