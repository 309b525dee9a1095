// The list of issues. The chosen one is open: its reason, what to do, and the
// line of text.

import { entryOf } from './catalogue';
import { button, el, severityMark } from './dom';
import { seekFrame, selectIssue } from './session';
import { state } from './store';
import { framesOf, type Issue, severityOf } from './take';

// So many issues are in the document before "Show more".
const ROWS = 200;

let shownRows = ROWS;
let shownClip: unknown = null;

type Entry = [Issue, number];

export function issueList(redraw: () => void): Node[] {
  const { clip } = state;
  if (clip === null) return [];
  if (shownClip !== clip) {
    shownClip = clip;
    shownRows = ROWS;
  }
  if (clip.issues.length === 0) {
    return [el('p', { class: 'quiet' },
               clip.isRead ? 'No issues were found.' : 'No issues so far.')];
  }
  const entries: Entry[] = clip.issues.map((issue, i) => [issue, i]);
  const groups: [string, Entry[]][] = [
    ['In time', entries.filter(([i]) => i.location.frame !== null)
        .sort(([a], [b]) => a.location.frame! - b.location.frame!)],
    ['Skeleton', entries.filter(([i]) => i.location.frame === null &&
                                         i.location.joint !== null)],
    ['File', entries.filter(([i]) => i.location.frame === null &&
                                     i.location.joint === null)],
  ];
  let room = shownRows;
  const bodies = [];
  for (const [name, list] of groups) {
    const some = list.slice(0, room);
    room -= some.length;
    if (some.length > 0) bodies.push(group(name, list.length, some));
  }
  const nodes: Node[] = [el(
      'table', { class: 'issues' },
      el('caption', { class: 'unseen' }, 'Issues'),
      el('colgroup', {}, el('col', { class: 'of-mark' }), el('col'),
         el('col', { class: 'of-place' })),
      el('thead', { class: 'unseen' },
         el('tr', {}, ...['Severity', 'Issue', 'Place'].map(
             (head) => el('th', { scope: 'col' }, head)))),
      ...bodies)];
  if (entries.length > shownRows) {
    nodes.push(button(`Show ${Math.min(ROWS, entries.length - shownRows)} more`,
                      () => {
                        shownRows += ROWS;
                        redraw();
                      }));
  }
  if (clip.result?.report.truncated) {
    nodes.push(el('p', { class: 'quiet' },
                  'There are more issues than the report lists.'));
  }
  return nodes;
}

function group(name: string, total: number, entries: Entry[]): HTMLElement {
  return el('tbody', {},
            el('tr', { class: 'group' },
               el('th', { colspan: '3', scope: 'rowgroup' },
                  `${name} (${total})`)),
            ...entries.flatMap(([issue, index]) => row(issue, index)));
}

function row(issue: Issue, index: number): HTMLElement[] {
  const isOpen = state.issue === index;
  const { joint_name: joint } = issue.location;
  const times = issue.occurrences > 1 ? ` ×${issue.occurrences}` : '';
  const line = el(
      'tr', { class: isOpen ? 'chosen' : '' },
      el('td', {}, severityMark(severityOf(issue))),
      el('td', {}, button(
          '', () => isOpen ? selectNone() : selectIssue(index),
          { class: 'link', 'data-issue': String(index),
            'aria-expanded': String(isOpen) },
          entryOf(issue.code).title, times,
          joint ? el('span', { class: 'quiet' }, ` ${joint}`) : null)),
      el('td', { class: 'number quiet' }, place(issue)));
  return isOpen ? [line, details(issue)] : [line];
}

function selectNone(): void {
  selectIssue(-1, false);
}

function place({ location: { frame, last_frame: last, line } }: Issue): string {
  if (frame !== null) {
    return last !== null && last !== frame ? `${frame}-${last}` : `${frame}`;
  }
  return line === null ? '' : `line ${line}`;
}

function details(issue: Issue): HTMLElement {
  const { location } = issue;
  const { help } = entryOf(issue.code);
  const where = [
    location.frame === null ? '' : `frame ${location.frame}`,
    location.line === null ? '' : `line ${location.line}`,
    location.column === null ? '' : `column ${location.column}`,
  ].filter((part) => part !== '');
  const cell = el(
      'td', { colspan: '3' },
      el('p', {}, issue.message),
      text(issue),
      el('h2', { class: 'sub' }, 'What to do'),
      el('p', {}, help),
      frames(issue),
      el('p', { class: 'quiet small' }, [issue.code, ...where].join(' · ')));
  return el('tr', { class: 'details' }, cell);
}

// The frames at which the issue is, as buttons.
function frames(issue: Issue): HTMLElement | null {
  const spans = framesOf(issue);
  if (spans.length < 2) return null;
  return el('p', { class: 'frames' }, ...spans.map(([frame]) =>
    button(String(frame), () => seekFrame(frame),
           { class: 'chip', 'aria-label': `Frame ${frame}` })));
}

// The line of text, which arrives later.
function text({ location, code }: Issue): HTMLElement | null {
  const { byte_offset: offset, line } = location;
  const isOfText = /^(TEXT|HIERARCHY|MOTION|DATA_NOT_FINITE)/.test(code);
  if (offset === null || line === null || !isOfText) return null;
  const pre = el('pre', { tabindex: '0',
                          'aria-label': `Text of line ${line}` });
  state.clip?.ask<{ text: string; at: number }>({ kind: 'line', offset })
      .then(({ text, at }) => {
        const length = /^\S+/.exec(text.slice(at))?.[0].length ?? 1;
        const mark = el('mark', {}, text.slice(at, at + length) ||
                                    ' end of line');
        pre.append(text.slice(Math.max(0, at - 60), at), mark,
                   text.slice(at + length));
        pre.scrollLeft = mark.offsetLeft - pre.clientWidth / 2;
      }, () => pre.remove());
  return pre;
}
