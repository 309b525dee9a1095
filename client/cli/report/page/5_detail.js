// An open clip: poses, facts, timeline, and each issue with its place, its
// evidence and what to do.

function fact(name, value) {
  return value === null ? null
    : html('div', {}, html('dt', {}, name), html('dd', {}, value));
}

const REST_POSES = {
  REST_POSE_T: 'T pose',
  REST_POSE_A: 'A pose',
  REST_POSE_ARMS_DOWN: 'arms down',
  REST_POSE_ALIGNED: 'all bones aligned',
  REST_POSE_OTHER: 'neither T nor A pose',
};

// "-3 to 4", for each axis.
function boxText(extents) {
  return extents.map(([least, greatest], axis) =>
    `${'xyz'[axis]} ${rounded(least)} to ${rounded(greatest)}`).join(', ');
}

// Facts about the motion, in the units of the file.
function measuresOf(clip) {
  if (clip.reach === undefined) return [];
  const known = (value, text) => value === undefined ? null : text(value);
  return [
    fact('Channels', grouped(clip.channels)),
    fact('Depth', `${counted(clip.depth, 'joint')}`),
    fact('Extents', known(clip.extents, boxText)),
    fact('Rest pose', `${REST_POSES[clip.rest_pose] || 'of no body'}, ` +
      clip.rest_size.map((size) => rounded(size)).join(' by ')),
    fact('Skeleton height', known(clip.rest_height, (x) => rounded(x))),
    fact('Reach', rounded(clip.reach)),
    fact('Way of the root', known(clip.root_path, (x) => rounded(x))),
    fact('Speed of the root', known(clip.root_speed, (x) => `${rounded(x)} /s`)),
    fact('Fastest joint', known(clip.fastest, ({ joint, speed, frame }) =>
      `${joint}, ${rounded(speed)} /s at frame ${grouped(frame)}`)),
    fact('Turns most', known(clip.turns, (turns) => turns.length === 0 ? '–'
      : turns.map(([name, angle]) => `${name} ${rounded(angle)}°`).join(', '))),
    fact('Loop error', known(clip.loop_degrees, (angle) =>
      `${rounded(angle)}°, root ${rounded(clip.loop_distance)}`)),
  ];
}

function factsOf(clip) {
  const rate = clip.fps > 0 ? `${rounded(clip.fps, 5)} frames/s` : 'unknown';
  return html('dl', { class: 'facts' },
    fact('Frames', clip.frames === undefined ? null : grouped(clip.frames)),
    fact('Duration', clip.frames === undefined ? null
      : duration(secondsOf(clip))),
    fact('Rate', clip.frames === undefined ? null : rate),
    fact('Joints', clip.joints === undefined ? null : grouped(clip.joints)),
    fact('Height', clip.height > 0
      ? `${rounded(clip.height)} ${DATA.unit}` : null),
    measuresOf(clip));
}

// "; 3 times, in frames 50 to 150" for an issue that occurs several times.
function timesText(issue) {
  if (!(issue.times > 1)) return '';
  const frames = framesOf(issue);
  const text = `; ${grouped(issue.times)} times`;
  const listed = listedFrames(issue);
  if (listed.length > 0) {
    const more = listed.length < issue.times ? ' and more' : '';
    return `${text}: in frames ${listed.map(grouped).join(', ')}${more}`;
  }
  const [first, last] = issue.events || [];
  const isWider = frames && (first < frames.first || last > frames.last);
  return isWider ? `${text}, in frames ${grouped(first)} to ${grouped(last)}`
    : text;
}

// "frame 120 (2 s), joint Hips, line 300, column 5".
function whereText(clip, issue) {
  const frames = framesOf(issue);
  const parts = [];
  if (frames) {
    const { first, last } = frames;
    const time = (frame) => rounded(frame * clip.frame_time);
    const hasTime = clip.frame_time > 0;
    parts.push(last > first
      ? `frames ${grouped(first)} to ${grouped(last)}` +
        (hasTime ? ` (${time(first)} to ${time(last)} s)` : '')
      : `frame ${grouped(first)}${hasTime ? ` (${time(first)} s)` : ''}`);
  }
  if (issue.joint !== undefined) parts.push(`joint ${issue.joint}`);
  if (issue.line) parts.push(`line ${grouped(issue.line)}`);
  if (issue.line && issue.column) parts.push(`column ${issue.column}`);
  if (parts.length === 0) parts.push('the whole clip');
  return parts.join(', ');
}

function evidenceOf(issue) {
  const names = Object.keys(issue.args || {});
  if (names.length === 0) return null;
  return html('ul', { class: 'evidence' }, names.map((name) =>
    html('li', {}, html('span', {}, name), ` ${issue.args[name]}`)));
}

// `nth` is its number among the issues of this code in the clip, from 1.
function issueOf(clip, issue, nth, actions) {
  const { help } = DATA.codes[issue.code] || {};
  const row = (name, value) => value === null ? null
    : html('div', {}, html('dt', {}, name), html('dd', {}, value));
  return html('li', { class: `issue ${issue.severity}`, 'data-code': issue.code,
    tabindex: '-1' },
  html('p', { class: 'message' }, mark(issue.severity),
    html('strong', {}, `${issue.severity}: `), issue.message),
  html('div', { class: 'pose' }, figureOf(clip, posesAt(clip, issue), true)),
  html('dl', {},
    row('Where', whereText(clip, issue) + timesText(issue)),
    row('Values', evidenceOf(issue)),
    row('What to do', help || null),
    row('Code', html('span', { class: 'code-line' },
      html('code', {}, issue.code),
      html('span', { class: 'quiet' },
        ` docs/issues.md, or: bvhmill explain ${issue.code}`)))),
  html('p', { class: 'actions' },
    html('button', { type: 'button', class: 'plain',
      click: () => actions.filterByCode(issue.code) },
    'All clips with this'),
    html('a', { class: 'plain', href: linkTo(clip, issue.code, nth) },
      'Link to this issue')));
}

// Names the codes that have no issue in the list.
function truncationOf(clip) {
  if (!clip.truncated) return null;
  const listed = new Set(clip.issues.map(({ code }) => code));
  const others = clip.codes.filter(([code]) => !listed.has(code))
    .map(([code, , times]) => `${code} ${grouped(times)}`);
  return html('p', { class: 'notice' }, 'The clip has more kinds of issues ' +
    'than are listed here. The counts include all of them.' +
    (others.length > 0 ? ` Not listed: ${others.join(', ')}.` : ''));
}

// The issues of a clip, each with its number among those of its code.
function issueList(clip, actions) {
  const counts = new Map();
  return html('ol', { class: 'issues' }, clip.issues.map((issue) => {
    const nth = (counts.get(issue.code) || 0) + 1;
    counts.set(issue.code, nth);
    return issueOf(clip, issue, nth, actions);
  }));
}

// Notices about the clip that are no issues.
function noticesOf(clip) {
  const known = clip.known_issues || 0;
  const texts = [
    clip.verdict === 'accepted' && !clip.passes
      ? 'This clip fails the run, by --fail-on.' : null,
    known > 0 ? `${counted(known, 'issue')} of this clip ` +
      `${known === 1 ? 'is' : 'are'} in the baseline and not shown.` : null,
  ];
  return texts.filter(Boolean)
    .map((text) => html('p', { class: 'notice' }, text));
}

// The content of an open clip.
function detailOf(clip, actions) {
  const figure = figureOf(clip, mainPoses(clip), true);
  const timeline = timelineOf(clip);
  const issues = clip.issues.length > 0
    ? issueList(clip, actions)
    : html('p', { class: 'notice good' }, clip.known_issues > 0
      ? 'Nothing new was found in this clip.'
      : 'Nothing was found in this clip.');
  const remarks = clip.remarks.map((remark) =>
    html('p', { class: 'notice' }, mark(remark.severity), remark.message));
  return html('div', { class: 'detail' },
    html('div', { class: figure || timeline ? 'seen' : 'seen bare' },
      html('div', { class: 'body' }, figure, factsOf(clip)),
      timeline),
    clip.error ? html('p', { class: 'notice bad' }, clip.error) : null,
    noticesOf(clip), remarks,
    clip.error && clip.issues.length === 0 ? null : issues,
    truncationOf(clip));
}
