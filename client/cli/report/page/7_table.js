// The table of clips. Rows are made once and moved when the order changes. The
// browser lays out only those that can be seen (content-visibility), and
// pictures are drawn when their row comes near.

const rowByClip = new Map();
const buttonByClip = new Map();
const pictures = whenNear(drawPictures);

function drawPictures(row) {
  if (row.dataset.drawn) return;
  row.dataset.drawn = 'true';
  const clip = CLIPS[Number(row.dataset.clip)];
  row.querySelector('.thumb').append(figureOf(clip, mainPoses(clip), false) || '');
  row.querySelector('.in-time').append(stripOf(clip) || '');
}

function cell(name, title, ...children) {
  return html('td', { role: 'cell', class: name, 'data-title': title },
    children);
}

function countCell(name, title, severity, clip) {
  const count = countOf(clip, severity);
  return cell(`number ${name}${count === 0 ? ' none' : ''}`, title,
    count > 0 ? mark(severity) : null, grouped(count));
}

function numberCell(name, title, value, text = rounded(value)) {
  const isKnown = Number.isFinite(value) && value >= 0;
  return cell(`number ${name}${isKnown ? '' : ' none'}`, title,
    isKnown ? text : '–');
}

// A long name without its middle: takes differ at the beginning or at the end.
function shortened(name, most = 44) {
  const letters = [...name];
  if (letters.length <= most) return name;
  const half = Math.floor((most - 1) / 2);
  return `${letters.slice(0, half).join('')}…${letters.slice(-half).join('')}`;
}

// The folder of a clip is less important than its name.
function nameOf(clip) {
  const at = clip.name.lastIndexOf('/') + 1;
  return html('span', { class: 'file' },
    at > 0 ? html('span', { class: 'folder' },
      shortened(clip.name.slice(0, at))) : null,
    shortened(clip.name.slice(at)));
}

function makeRow(clip) {
  const button = html('button', {
    type: 'button', class: 'open', 'aria-expanded': 'false', tabindex: '-1',
    title: clip.name,
    click: () => toggle(clip), focus: () => makeTabStop(clip),
  }, html('span', { class: 'thumb', 'aria-hidden': 'true' }), nameOf(clip));
  buttonByClip.set(clip, button);
  const row = html('tr', {
    role: 'row', class: 'clip', 'data-clip': clip.index,
  },
    html('th', { role: 'rowheader', scope: 'row', class: 'name' }, button),
    cell('verdict', 'Verdict', html('span', {
      class: `badge ${classOf(clip.verdict)}`,
      title: VERDICT_HELP[clip.verdict],
    }, clip.verdict)),
    countCell('errors', 'errors', 'error', clip),
    countCell('warnings', 'warnings', 'warning', clip),
    countCell('hints', 'hints', 'hint', clip),
    cell('in-time', 'Timeline'),
    numberCell('frames', 'frames', clip.frames, grouped(clip.frames)),
    numberCell('seconds', '', secondsOf(clip), duration(secondsOf(clip))),
    numberCell('rate', 'frames/s', clip.fps > 0 ? clip.fps : NaN,
      rounded(clip.fps, 4)),
    numberCell('joints', 'joints', clip.joints, grouped(clip.joints)),
    numberCell('height', 'high', clip.height > 0 ? clip.height : NaN));
  pictures.watch(row);
  return row;
}

function rowOf(clip) {
  if (!rowByClip.has(clip)) rowByClip.set(clip, makeRow(clip));
  return rowByClip.get(clip);
}

// Clips that are shown, and how many of them are in the page already.
let shown = [];
let placed = 0;

function place(count) {
  const rows = [];
  for (const clip of shown.slice(placed, placed + count)) {
    rows.push(rowOf(clip));
    const detail = detailRow(clip);
    if (detail) rows.push(detail);
  }
  placed = Math.min(placed + count, shown.length);
  byId('rows').append(...rows);
}

function placeAll() { place(shown.length); }

// The rest of a long list follows while the page can be used already.
function placeSoon() {
  const of = shown;
  const step = () => {
    if (of !== shown || placed >= shown.length) return;
    place(250);
    setTimeout(step, 0);
  };
  setTimeout(step, 0);
}

// Shows the clips of the state in their order.
function showRows() {
  shown = shownClips();
  placed = 0;
  byId('rows').replaceChildren();
  place(60);
  placeSoon();
  byId('table').setAttribute('aria-rowcount', String(shown.length + 1));
  byId('nothing').hidden = shown.length > 0;
  byId('table').hidden = shown.length === 0;
  byId('count').textContent = isFiltered()
    ? `${grouped(shown.length)} of ${counted(CLIPS.length, 'clip')}`
    : counted(CLIPS.length, 'clip');
  const stop = shown.find((clip) => clip === tabStop) || shown[0];
  if (stop) makeTabStop(stop);
}

// The Tab key stops at one row; arrow keys move between rows.
let tabStop = null;

function makeTabStop(clip) {
  if (tabStop) rowOf(tabStop) && (buttonByClip.get(tabStop).tabIndex = -1);
  tabStop = clip;
  rowOf(clip);
  buttonByClip.get(clip).tabIndex = 0;
}

function focusClip(clip) {
  if (!rowOf(clip).isConnected) placeAll();
  buttonByClip.get(clip).focus({ preventScroll: true });
  rowOf(clip).scrollIntoView({ block: 'nearest' });
}

// How far a key moves in the list; null for other keys.
function stepOf(key) {
  switch (key) {
    case 'ArrowDown': return 1;
    case 'ArrowUp': return -1;
    case 'PageDown': return 10;
    case 'PageUp': return -10;
    case 'Home': return -Infinity;
    case 'End': return Infinity;
    default: return null;
  }
}

function moveByKey(event) {
  const step = stepOf(event.key);
  if (step === null || !event.target.classList.contains('open')) return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const at = shown.indexOf(tabStop);
  focusClip(shown[Math.min(Math.max(at + step, 0), shown.length - 1)]);
}

// Open clips: their rows with the details.
const opened = new Map();

function detailRow(clip) { return opened.get(clip) || null; }

function open(clip) {
  if (opened.has(clip)) return;
  const id = `detail-${clip.index}`;
  const row = html('tr', { role: 'row', class: 'detail-row', id },
    html('td', { role: 'cell', colspan: COLUMNS.length },
      detailOf(clip, { filterByCode })));
  opened.set(clip, row);
  const button = (rowOf(clip), buttonByClip.get(clip));
  button.setAttribute('aria-expanded', 'true');
  button.setAttribute('aria-controls', id);
  rowOf(clip).classList.add('is-open');
  rowOf(clip).after(row);
}

function close(clip) {
  if (!opened.has(clip)) return;
  opened.get(clip).remove();
  opened.delete(clip);
  const button = buttonByClip.get(clip);
  button.setAttribute('aria-expanded', 'false');
  button.removeAttribute('aria-controls');
  rowOf(clip).classList.remove('is-open');
}

function toggle(clip) {
  if (opened.has(clip)) {
    close(clip);
    state.clip = [...opened.keys()].at(-1)?.name || '';
  } else {
    open(clip);
    state.clip = clip.name;
  }
  state.issue = '';
  writeHash();
}

// Opens the clip of the address alone, and goes to its nth issue with this
// code, or else to the first one.
function goToClip(name, code, nth) {
  const clip = CLIPS.find((other) => other.name === name);
  if (!clip) return;
  for (const other of [...opened.keys()]) if (other !== clip) close(other);
  // The address may name a clip that its filters leave out.
  if (!shown.includes(clip)) {
    clearFilters();
    show();
  }
  placeAll();
  open(clip);
  makeTabStop(clip);
  const issues = [...opened.get(clip).querySelectorAll('.issue')]
    .filter((node) => node.dataset.code === code);
  const issue = issues[nth - 1] || issues[0];
  if (issue) issue.classList.add('is-chosen');
  const target = issue || buttonByClip.get(clip);
  target.focus({ preventScroll: true });
  (issue || rowOf(clip)).scrollIntoView({ block: issue ? 'center' : 'start' });
}

function makeHead() {
  byId('head').replaceChildren(...COLUMNS.map((column) => {
    const kind = column.number ? 'number ' : '';
    const head = html('th', { role: 'columnheader', scope: 'col',
      class: kind + column.key, 'data-key': column.key });
    if (!column.compare) return fill(head, {}, [column.title]);
    return fill(head, {}, [html('button', { type: 'button', class: 'sort',
      click: () => sortBy(column) }, column.title,
    html('span', { class: 'arrow', 'aria-hidden': 'true' }))]);
  }));
}

function showSort() {
  for (const head of byId('head').children) {
    const isChosen = head.dataset.key === state.sort;
    const way = state.descending ? 'descending' : 'ascending';
    if (isChosen) head.setAttribute('aria-sort', way);
    else head.removeAttribute('aria-sort');
  }
}

function sortBy(column) {
  state.descending = state.sort === column.key
    ? !state.descending : Boolean(column.falls);
  state.sort = column.key;
  show();
}
