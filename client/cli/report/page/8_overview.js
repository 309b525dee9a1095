// The top of the page: totals, counts by code, remarks about the folder, and
// the filters.

function tile(value, label, severity = null) {
  return html('div', { class: `tile${value === 0 ? ' zero' : ''}` },
    html('dt', {}, severity ? mark(severity) : null, label),
    html('dd', {}, grouped(value)));
}

function verdictBar() {
  const counts = [...VERDICTS].reverse().map((verdict) =>
    [verdict, CLIPS.filter((clip) => clip.verdict === verdict).length])
    .filter(([, count]) => count > 0);
  const bar = html('div', { class: 'bar', 'aria-hidden': 'true' },
    counts.map(([verdict, count]) => {
      const part = html('span', { class: classOf(verdict) });
      part.style.flexGrow = String(count);
      return part;
    }));
  return html('div', { class: 'verdicts' }, bar,
    html('ul', { class: 'verdict-list', 'aria-label': 'Clips by verdict' },
      counts.map(([verdict, count]) => html('li', {},
        html('button', { type: 'button', 'aria-pressed': 'false',
          'data-verdict': verdict, title: VERDICT_HELP[verdict],
          click: () => choose('verdict', verdict) },
        html('span', {
          class: `dot ${classOf(verdict)}`, 'aria-hidden': 'true',
        }),
        html('strong', {}, grouped(count)), ` ${verdict}`)))));
}

// Says that the totals leave out the issues of a baseline.
function knownText() {
  const known = CLIPS.reduce((sum, clip) => sum + (clip.known_issues || 0), 0);
  if (known === 0) return '';
  const end = DATA.complete ? '.' : '';
  return `${end} ${counted(known, 'known issue')} of the baseline ` +
    `${known === 1 ? 'is' : 'are'} not shown and not counted.`;
}

function makeTotals() {
  const sum = (severity) =>
    CLIPS.reduce((total, clip) => total + countOf(clip, severity), 0);
  const seconds = CLIPS.map(secondsOf).filter((value) => value > 0)
    .reduce((a, b) => a + b, 0);
  byId('title').textContent = DATA.title || 'Report of clips';
  document.title = `${DATA.title || 'Clips'} – bvhmill report`;
  byId('subtitle').textContent =
    `${counted(CLIPS.length, 'clip')}, ${duration(seconds)} of motion` +
    (DATA.complete ? '' : '. The check was stopped before its end.') +
    knownText();
  byId('totals').replaceChildren(verdictBar(), html('dl', { class: 'tiles' },
    SEVERITIES.map(({ name, many }) => tile(sum(name), many, name))));
  byId('program').textContent =
    `Made by bvhmill ${DATA.program}, rules version ${DATA.rules}.`;
  byId('legend').replaceChildren(...SEVERITIES.map(({ name }) =>
    html('li', {}, mark(name), name)));
}

// Codes with the number of clips that have them; the most severe first.
function codeCounts() {
  const found = new Map();
  for (const clip of CLIPS) {
    const seen = new Set();
    for (const [code, severity] of clip.codes) {
      const entry = found.get(code) || { code, severity, clips: 0 };
      found.set(code, entry);
      if (RANK.get(severity) < RANK.get(entry.severity)) {
        entry.severity = severity;
      }
      if (!seen.has(code)) entry.clips += 1;
      seen.add(code);
    }
  }
  return [...found.values()].sort((a, b) =>
    RANK.get(a.severity) - RANK.get(b.severity) || b.clips - a.clips ||
    names.compare(a.code, b.code));
}

// The fault in a few words. Other servers may send codes of their own.
function titleOf(code) {
  const title = DATA.codes[code]?.title || code;
  return title[0].toUpperCase() + title.slice(1);
}

function codeRow({ code, severity, clips }, most) {
  const bar = html('span', {
    class: `share ${severity}`, 'aria-hidden': 'true',
  });
  bar.style.inlineSize = `${Math.max(100 * clips / most, 2)}%`;
  return html('li', {}, html('button', {
    type: 'button', 'aria-pressed': 'false', 'data-code': code,
    title: DATA.codes[code]?.help || '',
    click: () => chooseCode(code),
  },
  mark(severity, true),
  html('span', { class: 'code-name' },
    html('span', { class: 'code-title' }, titleOf(code)),
    html('code', { class: 'quiet' }, code)),
  html('span', { class: 'clips-count' }, counted(clips, 'clip')), bar));
}

function makeCodes() {
  const counts = codeCounts();
  const most = Math.max(...counts.map(({ clips }) => clips), 1);
  byId('codes').replaceChildren(...counts.map((entry) => codeRow(entry, most)));
  byId('codes-panel').hidden = counts.length === 0;
  byId('code').replaceChildren(html('option', { value: '' }, 'any'),
    html('option', { value: 'several', hidden: true }, 'several'),
    ...counts.map(({ code, clips }) =>
      html('option', { value: code }, `${code} (${clips})`)));
  byId('verdict').replaceChildren(html('option', { value: '' }, 'any'),
    ...VERDICTS.filter((verdict) => CLIPS.some((c) => c.verdict === verdict))
      .map((verdict) => html('option', { value: verdict }, verdict)));
}

// A remark that names its clips is a filter.
function remarkRow(remark, index) {
  const content = [mark(remark.severity, true),
    html('span', { class: 'remark' }, remark.message),
    html('span', { class: 'clips-count' }, counted(remark.count, 'clip'))];
  return html('li', {}, remark.clips.length === 0
    ? html('p', { class: 'fixed' }, content)
    : html('button', {
      type: 'button', 'aria-pressed': 'false', 'data-remark': index,
      click: () => choose('remark', index),
    }, content));
}

function makeRemarks() {
  for (const clip of CLIPS) clip.remarks = [];
  for (const remark of DATA.remarks) {
    for (const index of remark.clips) CLIPS[index]?.remarks.push(remark);
  }
  byId('remarks-panel').hidden = DATA.remarks.length === 0;
  byId('remarks').replaceChildren(...DATA.remarks.map(remarkRow));
}

function makeLevels() {
  byId('levels').append(...SEVERITIES.map(({ name, many }) =>
    html('button', { type: 'button', 'aria-pressed': 'false',
      'data-level': name, click: () => chooseLevel(name) },
    mark(name), many)));
}

function chooseLevel(name) {
  if (!state.levels.delete(name)) state.levels.add(name);
  show();
}

// Adds a code to the filter, or removes it.
function chooseCode(code) {
  if (!state.codes.delete(code)) state.codes.add(code);
  show();
  byId('clips-heading').scrollIntoView({ block: 'nearest' });
}

// Copies the names of the clips that are shown, one for each line.
async function copyNames() {
  const clips = shownClips();
  let said = `${counted(clips.length, 'name')} copied`;
  try {
    await navigator.clipboard.writeText(
      clips.map(({ name }) => `${name}\n`).join(''));
  } catch {
    said = 'The browser does not allow the page to copy';
  }
  byId('count').textContent = said;
}

// Sets a filter; the same value again removes it.
function choose(key, value) {
  state[key] = state[key] === value ? '' : value;
  show();
  byId('clips-heading').scrollIntoView({ block: 'nearest' });
}

function filterByCode(code) {
  clearFilters();
  state.codes.add(code);
  show();
  byId('clips-heading').scrollIntoView({ block: 'start' });
  byId('code').focus({ preventScroll: true });
}

// Shows the filters of the state in their fields and buttons.
function showFilters() {
  if (byId('text').value !== state.text) byId('text').value = state.text;
  byId('code').value =
    state.codes.size > 1 ? 'several' : [...state.codes][0] || '';
  byId('verdict').value = state.verdict;
  byId('clear').disabled = !isFiltered();
  const press = (selector, isPressed) => {
    for (const node of document.querySelectorAll(selector)) {
      node.setAttribute('aria-pressed', String(isPressed(node.dataset)));
    }
  };
  press('[data-level]', (data) => state.levels.has(data.level));
  press('button[data-code]', (data) => state.codes.has(data.code));
  press('[data-verdict]', (data) => state.verdict === data.verdict);
  press('[data-remark]', (data) => String(state.remark) === data.remark);
}
