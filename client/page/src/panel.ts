// The panel at the side: the facts of the take and four tabs.

import { comparePanel } from './compare';
import { byId, el } from './dom';
import { exportPanel } from './exports';
import { facts } from './facts';
import { issueList } from './issues';
import { jointList } from './joints';
import { type Key, state, type State, subscribe, update } from './store';

type Tab = State['panel'];

const TABS: [Tab, string][] = [
  ['issues', 'Issues'], ['joints', 'Joints'], ['compare', 'Compare'],
  ['export', 'Export'],
];

// The changes that a tab shows.
const SHOWS: Record<Tab, Key[]> = {
  issues: ['issue', 'progress'],
  joints: ['joints', 'options'],
  compare: ['compare', 'other', 'layout', 'joints', 'takes'],
  export: ['options'],
};

export function startPanel(): void {
  const top = el('div');
  const tabs = el('div', { role: 'tablist', 'aria-label': 'About the take' });
  const body = el('div', { role: 'tabpanel', id: 'tab-body', tabindex: '0' });
  byId('panel').append(top, tabs, body);
  for (const [tab, name] of TABS) {
    tabs.append(el('button', {
      type: 'button', role: 'tab', id: `tab-${tab}`,
      'aria-controls': 'tab-body', click: () => update({ panel: tab }),
    }, name));
  }
  tabs.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = TABS.findIndex(([tab]) => tab === state.panel);
    const next = TABS[(at + step + TABS.length) % TABS.length][0];
    update({ panel: next });
    byId(`tab-${next}`).focus();
  });

  const drawBody = () => {
    for (const [tab] of TABS) {
      const head = byId(`tab-${tab}`);
      head.setAttribute('aria-selected', String(tab === state.panel));
      head.tabIndex = tab === state.panel ? 0 : -1;
    }
    const n = state.clip?.issues.length ?? 0;
    byId('tab-issues').textContent = n > 0 ? `Issues ${n}` : 'Issues';
    body.setAttribute('aria-labelledby', `tab-${state.panel}`);
    keepFocus(body, content(drawBody));
  };
  let issues = -1;
  subscribe((changed) => {
    if (state.take === null) return;
    const has = (...keys: Key[]) => keys.some((key) => changed.has(key));
    if (has('take', 'progress', 'options')) keepFocus(top, [facts()]);
    const isNew = (state.clip?.issues.length ?? 0) !== issues ||
        state.clip?.isRead;
    issues = state.clip?.issues.length ?? 0;
    const shows = SHOWS[state.panel].filter(
        (key) => key !== 'progress' || isNew);
    if (has('take', 'clip', 'panel', ...shows)) drawBody();
  });
}

function content(redraw: () => void): Node[] {
  switch (state.panel) {
    case 'issues': return issueList(redraw);
    case 'joints': return jointList(redraw);
    case 'compare': return comparePanel();
    case 'export': return exportPanel();
  }
}

// Replaces the children. The element at the place of the focused one gets the
// focus, and an open issue is scrolled to.
function keepFocus(parent: HTMLElement, children: Node[]): void {
  const places = 'button, select, input, [tabindex]';
  const at = [...parent.querySelectorAll(places)]
      .indexOf(document.activeElement as Element);
  const top = parent.scrollTop;
  parent.replaceChildren(...children);
  parent.scrollTop = top;
  if (at >= 0) {
    parent.querySelectorAll<HTMLElement>(places)[at]?.focus(
        { preventScroll: true });
  }
  parent.querySelector('.chosen')?.scrollIntoView({ block: 'nearest' });
}
