// Starts the page: theme, keys, address.

function writeHash() {
  const hash = hashOfState();
  if (hash === location.hash) return;
  history.replaceState(null, '', hash || location.pathname + location.search);
}

// Shows the state everywhere.
function show() {
  showFilters();
  showSort();
  showRows();
  writeHash();
}

// Says that the clip of a link is not in the page.
function showMissing(name) {
  byId('missing').hidden = name === '';
  byId('missing').textContent = name === '' ? ''
    : `The clip ${name} of the link is not in this page.`;
}

function readAddress() {
  showMissing(readHash(location.hash));
  const { clip, issue, nth } = state;
  show();
  if (clip) goToClip(clip, issue, nth);
}

const THEMES = ['auto', 'light', 'dark'];

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId('theme').textContent = `Theme: ${theme}`;
}

// The choice is kept where the browser allows it.
function startTheme() {
  const key = 'bvhmill-report-theme';
  let theme = 'auto';
  try {
    theme = localStorage.getItem(key) || theme;
  } catch { /* there is no storage */ }
  setTheme(THEMES.includes(theme) ? theme : 'auto');
  byId('theme').addEventListener('click', () => {
    const at = THEMES.indexOf(document.documentElement.dataset.theme);
    const next = THEMES[(at + 1) % THEMES.length];
    setTheme(next);
    try {
      localStorage.setItem(key, next);
    } catch { /* as above */ }
  });
}

function isTyping(node) {
  return ['INPUT', 'SELECT', 'TEXTAREA'].includes(node.tagName);
}

// Escape closes the clip with the focus, or else clears the filters.
function escape() {
  const row = document.activeElement.closest('.detail-row, .clip');
  const clip = row && CLIPS.find((other) =>
    other.index === Number(row.dataset.clip) || opened.get(other) === row);
  if (clip && opened.has(clip)) {
    toggle(clip);
    focusClip(clip);
  } else if (isFiltered()) {
    clearFilters();
    show();
  }
}

function onKey(event) {
  if (event.key === 'Escape') {
    escape();
  } else if (event.key === '/' && !isTyping(event.target)) {
    event.preventDefault();
    byId('text').focus();
    byId('text').select();
  } else {
    moveByKey(event);
  }
}

function startFilters() {
  const take = (key, id) => (event) => {
    state[key] = event.target.value;
    show();
    byId(id).focus({ preventScroll: true });
  };
  let waiting = 0;
  byId('text').addEventListener('input', (event) => {
    state.text = event.target.value;
    clearTimeout(waiting);
    waiting = setTimeout(show, 80);
  });
  byId('code').addEventListener('change', (event) => {
    state.codes.clear();
    if (event.target.value) state.codes.add(event.target.value);
    show();
    byId('code').focus({ preventScroll: true });
  });
  byId('verdict').addEventListener('change', take('verdict', 'verdict'));
  byId('filter').addEventListener('submit', (event) => {
    event.preventDefault();
    if (shown[0]) focusClip(shown[0]);
  });
  byId('copy').addEventListener('click', copyNames);
  byId('clear').addEventListener('click', () => {
    clearFilters();
    show();
    byId('text').focus({ preventScroll: true });
  });
}

// Prints every clip that is shown, with its pictures. Clips that are open are
// printed with their issues.
function beforePrint() {
  placeAll();
  for (const clip of shown) drawPictures(rowOf(clip));
}

function start() {
  rankNames();
  startTheme();
  makeTotals();
  makeRemarks();
  makeCodes();
  makeLevels();
  makeHead();
  startFilters();
  document.addEventListener('keydown', onKey);
  addEventListener('hashchange', readAddress);
  addEventListener('beforeprint', beforePrint);
  readAddress();
  document.documentElement.dataset.ready = 'true';
}

start();
