// Issues in time, and the curves below them. All share one horizontal axis:
// 0 to 100 % are the frames of the clip.

function placeOf(clip, frame) {
  const frames = Math.max(clip.frames, 1);
  return 100 * Math.min(Math.max(frame / frames, 0), 1);
}

// The places of the issues of `severity` as {left, width}, in percent. Those
// that would cover each other are one.
function spansOf(clip, severity) {
  const spans = [];
  const places = clip.issues.filter((issue) => issue.severity === severity)
    .flatMap(placesOf).sort((a, b) => a.first - b.first);
  for (const { first, last } of places) {
    const left = placeOf(clip, first);
    const right = placeOf(clip, last + 1);
    const before = spans[spans.length - 1];
    const isCovered = before && left - before.left < 0.5 &&
      right <= before.left + Math.max(before.width, 0.5);
    if (!isCovered) spans.push({ left, width: right - left });
  }
  return spans;
}

// The marks of one severity on the line `y`: a bar for a span, and the mark of
// the severity at its beginning.
function marksOf(clip, severity, y) {
  const { path } = SEVERITIES[RANK.get(severity)];
  return spansOf(clip, severity).map(({ left, width }) => {
    const isLong = width > 1.5;
    const at = isLong ? left : left + width / 2;
    return svg('g', { class: severity },
      isLong ? svg('rect', {
        class: 'span', x: `${left}%`, width: `${width}%`, y: y - 3, height: 6,
      }) : null,
      svg('svg', { x: `${at}%`, y, overflow: 'visible', class: 'place' },
        svg('path', { class: 'shape', d: path })));
  });
}

// The curve as a filled path, 1 wide for each value and 63 high.
function curvePath(curve) {
  const low = unpacked(curve.low, 1);
  const high = unpacked(curve.high, 1);
  let path = '';
  let begin = 0;
  // One area for each part without gaps: along the tops, and back along the
  // bottoms, which are at least 1 apart, so that a flat curve is a line.
  for (let i = 0; i <= high.length; ++i) {
    if (i < high.length && !Number.isNaN(high[i])) continue;
    if (i > begin) {
      path += `M${begin} ${63 - high[begin]}`;
      for (let k = begin; k < i; ++k) path += `V${63 - high[k]}H${k + 1}`;
      for (let k = i - 1; k >= begin; --k) {
        path += `V${63 - Math.min(low[k], high[k] - 1.5)}H${k}`;
      }
      path += 'Z';
    }
    begin = i + 1;
  }
  return path;
}

function curveOf(clip, curve, height) {
  const width = Math.max(clip.frames / clip.frames_per_value, 1);
  return svg('svg', {
    class: 'curve', viewBox: `0 -1 ${width} 66`, width: '100%', height,
    preserveAspectRatio: 'none',
  }, svg('path', { d: curvePath(curve) }));
}

function timed(clip) {
  return clip.issues.filter((issue) => framesOf(issue) !== null);
}

// "2 warnings, 1 hint marked in time".
function marksText(clip) {
  const parts = SEVERITIES.map(({ name, many }) => {
    const count = timed(clip).filter((i) => i.severity === name).length;
    return count === 0 ? null : counted(count, name, many);
  }).filter(Boolean);
  return parts.length === 0 ? 'no issue at a frame'
    : `${parts.join(', ')} at frames`;
}

// The small timeline of a row: how much the clip moves, and marks on it.
function stripOf(clip) {
  if (!(clip.frames > 0)) return null;
  const body = clip.curves && clip.curves[0];
  return svg('svg', {
    class: 'strip', width: '100%', height: 36, role: 'img',
    'aria-label': `Timeline: ${marksText(clip)}`,
  },
  body ? curveOf(clip, body, 22) : null,
  svg('line', { class: 'axis', x1: 0, x2: '100%', y1: 22, y2: 22 }),
  [...SEVERITIES].reverse().map(({ name }) => marksOf(clip, name, 28)));
}

function axisOf(clip) {
  const last = Math.max(clip.frames - 1, 0);
  const ticks = [...new Set([0, 0.25, 0.5, 0.75, 1]
    .map((part) => Math.round(part * last)))];
  const seconds = clip.frame_time > 0
    ? (frame) => ` · ${rounded(frame * clip.frame_time)} s` : () => '';
  const nodes = ticks.map((frame, i) => {
    const node = html('span', {
      class: i === 0 ? 'tick begin' : frame === last ? 'tick end' : 'tick',
    }, grouped(frame), html('span', { class: 'seconds' }, seconds(frame)));
    node.style.insetInlineStart = `${placeOf(clip, frame)}%`;
    return node;
  });
  return html('div', { class: 'ticks', 'aria-hidden': 'true' }, nodes);
}

// Vertical lines at the places of `issues`.
function linesOf(clip, issues) {
  return issues.flatMap((issue) => placesOf(issue).map(({ first, last }) => {
    const left = placeOf(clip, first);
    const width = placeOf(clip, last + 1) - left;
    return svg('rect', {
      class: `guide ${issue.severity}`, x: `${left}%`, y: 0, height: '100%',
      width: `${Math.max(width, 0.15)}%`,
    });
  }));
}

function curveFigure(clip, curve) {
  const concerned = timed(clip).filter((issue) => issue.joint === curve.joint);
  const title = curve.joint === undefined
    ? 'Turn from frame to frame, mean of all joints'
    : `Turn of ${curve.joint} from frame to frame`;
  const peak = `up to ${rounded(curve.most)} degrees`;
  return html('figure', { class: 'graph' },
    html('figcaption', {},
      html('span', { class: 'what' }, title),
      html('span', { class: 'quiet' }, peak)),
    svg('svg', {
      width: '100%', height: 48, role: 'img',
      'aria-label': `${title}: ${peak}`,
    }, linesOf(clip, concerned.slice(0, 100)), curveOf(clip, curve, 48)));
}

// The large timeline of an open clip, or null if nothing is known in time.
function timelineOf(clip) {
  if (!(clip.frames > 0)) return null;
  const lanes = SEVERITIES.filter(({ name }) =>
    timed(clip).some((issue) => issue.severity === name));
  if (lanes.length === 0 && !(clip.curves && clip.curves.length)) return null;
  const lane = ({ name }) => html('div', { class: 'lane' },
    html('span', { class: 'lane-name' }, mark(name), name),
    svg('svg', { width: '100%', height: 20, 'aria-hidden': 'true' },
      svg('line', { class: 'axis', x1: 0, x2: '100%', y1: 10, y2: 10 }),
      marksOf(clip, name, 10)));
  return html('div', { class: 'timeline', role: 'group',
    'aria-label': `Timeline: ${marksText(clip)}` },
  lanes.map(lane),
  (clip.curves || []).map((curve) => curveFigure(clip, curve)),
  axisOf(clip));
}
