// The data of the page, and how values are shown as text.

const DATA = JSON.parse(document.getElementById('data').textContent);
const CLIPS = DATA.clips;
CLIPS.forEach((clip, index) => { clip.index = index; });

// The most severe first. `path` is the mark in a box from -5 to 5: each
// severity has a colour and a shape of its own.
const SEVERITIES = [
  { name: 'error', many: 'errors', path: 'M0-5 5 0 0 5-5 0Z' },
  { name: 'warning', many: 'warnings', path: 'M0-4.6 5 4.2H-5Z' },
  { name: 'info', many: 'info', path: 'M-4-4H4V4H-4Z' },
  { name: 'hint', many: 'hints', path: 'M0-4A4 4 0 1 1 0 4 4 4 0 1 1 0-4Z' },
];
const RANK = new Map(SEVERITIES.map((severity, rank) => [severity.name, rank]));

// The worst first.
const VERDICTS = ['not read', 'unreadable', 'invalid', 'accepted', 'valid'];
const VERDICT_HELP = {
  'not read': 'The file could not be opened or unpacked.',
  unreadable: 'No skeleton could be read.',
  invalid: 'The clip has errors. Programs cannot use it as it is.',
  accepted: 'No error, but warnings: look at them before you use the clip.',
  valid: 'No error and no warning.',
};

// A verdict as the name of a class.
function classOf(verdict) { return verdict.replace(' ', '-'); }

function byId(id) { return document.getElementById(id); }

// "1 clip", "2 clips".
function counted(count, one, many = `${one}s`) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

// 1234567 as "1,234,567".
function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

// About `digits` digits, without zeros at the end.
function rounded(value, digits = 3) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 10 ** digits) return grouped(Math.round(value));
  return String(Number(value.toPrecision(digits)));
}

// Seconds as "4.2 s" or "3:07 min".
function duration(seconds) {
  if (!(seconds > 0)) return '–';
  if (seconds < 100) return `${rounded(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
}

function secondsOf(clip) {
  return clip.frames > 0 && clip.frame_time > 0
    ? clip.frames * clip.frame_time : NaN;
}

// The issue as its frames: the first and the last, or null for an issue that is
// not in time.
function framesOf(issue) {
  const first = issue.frame;
  if (first === undefined || first === null) return null;
  return { first, last: Math.max(issue.last_frame ?? first, first) };
}

// The first frames at which an issue occurs, if it occurs several times. Other
// servers may send anything.
function listedFrames(issue) {
  const at = issue.args && issue.args.at;
  const frames = at ? at.split(', ').map(Number) : [];
  return frames.every(Number.isInteger) ? frames : [];
}

// All places of an issue in time, as framesOf gives them.
function placesOf(issue) {
  const place = framesOf(issue);
  if (place === null) return [];
  const others = listedFrames(issue).filter((frame) => frame !== place.first);
  return [place, ...others.map((frame) => ({ first: frame, last: frame }))];
}
