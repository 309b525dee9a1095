// Which clips are shown, in which order, and which is open. The part of the
// address after # has all of it, so that a view can be sent to others.

const state = {
  text: '', levels: new Set(), codes: new Set(), verdict: '', remark: '',
  sort: 'severity', descending: true, clip: '', issue: '', nth: 1,
};

function searchText(clip) {
  if (clip.searched === undefined) {
    clip.searched = [clip.name, clip.error, ...clip.codes.map(([code]) => code),
      ...clip.issues.flatMap((issue) => [issue.message, issue.joint])]
      .join('\n').toLowerCase();
  }
  return clip.searched;
}

function countOf(clip, severity) { return clip.counts[RANK.get(severity)]; }

function isShown(clip) {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.some((word) => !searchText(clip).includes(word))) return false;
  if (state.verdict && clip.verdict !== state.verdict) return false;
  const { codes } = state;
  if (codes.size > 0 && !clip.codes.some(([code]) => codes.has(code))) {
    return false;
  }
  if (state.remark !== '' &&
    !DATA.remarks[state.remark]?.clips.includes(clip.index)) return false;
  return state.levels.size === 0 ||
    [...state.levels].some((name) => countOf(clip, name) > 0);
}

function isFiltered() {
  return state.text !== '' || state.levels.size > 0 || state.codes.size > 0 ||
    state.verdict !== '' || state.remark !== '';
}

function clearFilters() {
  Object.assign(state, { text: '', verdict: '', remark: '' });
  state.levels.clear();
  state.codes.clear();
}

const names = new Intl.Collator('en', { numeric: true });

function bySeverity(a, b) {
  const verdict = VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict);
  if (verdict !== 0) return verdict;
  for (let i = 0; i < SEVERITIES.length; ++i) {
    if (a.counts[i] !== b.counts[i]) return a.counts[i] - b.counts[i];
  }
  return 0;
}

// Values that are not known come last, in both directions.
function byNumber(valueOf) {
  return (a, b, sign) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    const [isX, isY] = [Number.isFinite(x), Number.isFinite(y)];
    if (isX && isY) return sign * (x - y);
    return Number(isY) - Number(isX);
  };
}

const withSign = (compare) => (a, b, sign) => sign * compare(a, b);

// The columns: key, title, how two clips compare, and whether the first choice
// is the largest first.
const COLUMNS = [
  { key: 'name', title: 'Clip', compare: withSign((a, b) => a.rank - b.rank) },
  { key: 'severity', title: 'Verdict', compare: withSign(bySeverity),
    falls: true },
  { key: 'errors', title: 'Errors', number: true, falls: true,
    compare: byNumber((clip) => countOf(clip, 'error')) },
  { key: 'warnings', title: 'Warnings', number: true, falls: true,
    compare: byNumber((clip) => countOf(clip, 'warning')) },
  { key: 'hints', title: 'Hints', number: true, falls: true,
    compare: byNumber((clip) => countOf(clip, 'hint')) },
  { key: 'timeline', title: 'Timeline' },
  { key: 'frames', title: 'Frames', number: true, falls: true,
    compare: byNumber((clip) => clip.frames) },
  { key: 'seconds', title: 'Length', number: true, falls: true,
    compare: byNumber(secondsOf) },
  { key: 'rate', title: 'Rate', number: true, falls: true,
    compare: byNumber((clip) => clip.fps) },
  { key: 'joints', title: 'Joints', number: true, falls: true,
    compare: byNumber((clip) => clip.joints) },
  { key: 'height', title: 'Height', number: true, falls: true,
    compare: byNumber((clip) => clip.height > 0 ? clip.height : NaN) },
];

// Comparing names is slow: they are ranked once.
function rankNames() {
  [...CLIPS].sort((a, b) => names.compare(a.name, b.name) || a.index - b.index)
    .forEach((clip, rank) => { clip.rank = rank; });
}

// The clips to show, in their order.
function shownClips() {
  const column = COLUMNS.find(({ key }) => key === state.sort) || COLUMNS[1];
  const sign = state.descending ? -1 : 1;
  return CLIPS.filter(isShown).sort((a, b) =>
    column.compare(a, b, sign) || a.rank - b.rank);
}

function hashOf(values) {
  const parts = Object.entries(values)
    .filter(([, value]) => value !== '' && value !== null)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

// The number of an issue in an address; the first one needs none.
function nthText(nth) { return nth > 1 ? String(nth) : ''; }

// The address of the nth issue of `clip` with this code.
function linkTo(clip, code, nth) {
  return hashOf({ clip: clip.name, code, nth: nthText(nth) });
}

function hashOfState() {
  const isDefault = state.sort === 'severity' && state.descending;
  const codes = [...state.codes].join(',');
  return hashOf({
    clip: state.clip, code: state.clip ? state.issue : codes,
    nth: state.clip && state.issue ? nthText(state.nth) : '',
    only: state.clip ? codes : '', text: state.text,
    with: [...state.levels].join(','), verdict: state.verdict,
    set: state.remark === '' ? '' : String(state.remark),
    sort: isDefault ? '' : `${state.sort}${state.descending ? '-' : ''}`,
  });
}

// Takes the state from the address. With a clip, `code` is one of its issues,
// the one with the number `nth` if there are several; without, it is a filter of
// one or more codes with commas.
// Values that do not exist are left out. Returns the name of a clip that does
// not exist, or else ''.
function readHash(hash) {
  const values = new Map();
  for (const part of hash.replace(/^#/, '').split('&')) {
    const at = part.indexOf('=');
    if (at < 0) continue;
    try {
      values.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)));
    } catch { /* not an address of this page */ }
  }
  const get = (key) => values.get(key) || '';
  clearFilters();
  const isClip = CLIPS.some((clip) => clip.name === get('clip'));
  state.clip = isClip ? get('clip') : '';
  state.issue = isClip ? get('code') : '';
  state.nth = /^[0-9]{1,9}$/.test(get('nth')) ? Number(get('nth')) : 1;
  for (const code of get(get('clip') ? 'only' : 'code').split(',')) {
    if (Object.hasOwn(DATA.codes, code)) state.codes.add(code);
  }
  state.text = get('text');
  state.verdict = VERDICTS.includes(get('verdict')) ? get('verdict') : '';
  for (const name of get('with').split(',')) {
    if (RANK.has(name)) state.levels.add(name);
  }
  state.remark = DATA.remarks[get('set')] ? Number(get('set')) : '';
  const sort = get('sort').replace(/-$/, '');
  const column = COLUMNS.find(({ key, compare }) => key === sort && compare);
  state.sort = column ? sort : 'severity';
  state.descending = column ? get('sort').endsWith('-') : true;
  return isClip ? '' : get('clip');
}
