// Stick figures: a few poses of a clip, side by side on one floor.

// The joints of a pose as [x, y], y upwards.
function pointsOf(pose) {
  const values = unpacked(pose.points, 2);
  const points = [];
  for (let i = 0; i + 1 < values.length; i += 2) {
    points.push([values[i], values[i + 1]]);
  }
  return points;
}

function isPoint(point) {
  return point !== undefined && !Number.isNaN(point[0] + point[1]);
}

// The bones as the path of an SVG, moved to the right by `dx`; `top` is y = 0.
function bonesOf(points, parents, dx, top) {
  let path = '';
  points.forEach((point, joint) => {
    const parent = points[parents[joint]];
    if (!isPoint(point) || !isPoint(parent)) return;
    path += `M${parent[0] + dx} ${top - parent[1]}` +
      `L${point[0] + dx} ${top - point[1]}`;
  });
  return path;
}

function boxOf(points) {
  const box = { left: Infinity, right: -Infinity, top: 0 };
  for (const [x, y] of points.filter(isPoint)) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.max(box.top, y);
  }
  return box;
}

// The poses that tell most about a clip: those at its first issues in time, or
// else some that are spread over it.
function mainPoses(clip) {
  const { at_issues: atIssues, poses } = clip.figure || {};
  return atIssues ? atIssues.slice(0, 3) : poses || [];
}

// The pose at an issue of the clip; none if it is not among the kept ones.
function posesAt(clip, issue) {
  return (clip.figure?.at_issues || [])
    .filter(({ frame }) => frame === issue.frame).slice(0, 1);
}

// Poses of `clip` as an SVG, or null if there are none. With `captions` each has
// the number of its frame, such as #120, below it. The joint of an issue is
// marked.
function figureOf(clip, wanted, captions) {
  if (wanted.length === 0) return null;
  const parents = unpacked(clip.figure.parents, 2);
  const poses = wanted.map((pose) => {
    const points = pointsOf(pose);
    return { pose, points, box: boxOf(points) };
  }).filter(({ box }) => box.right >= box.left);
  if (poses.length === 0) return null;
  const top = Math.max(...poses.map(({ box }) => box.top), 1);
  // Figures keep their size and a little room; flat ones get some width.
  const gap = top * 0.16;
  let right = gap;
  const drawn = poses.map(({ pose, points, box }) => {
    const width = Math.max(box.right - box.left, top * 0.3);
    const dx = right + (width - (box.right - box.left)) / 2 - box.left;
    const middle = right + width / 2;
    right += width + gap;
    const joint = points[pose.joint];
    return {
      pose, middle, path: bonesOf(points, parents, dx, top),
      joint: isPoint(joint) ? [joint[0] + dx, top - joint[1]] : null,
    };
  });
  const size = top / 100;
  const below = captions ? 16 * size : 4 * size;
  const label = `Poses at ${poses.length === 1 ? 'frame' : 'frames'} ` +
    drawn.map(({ pose }) => pose.frame).join(', ');
  return svg('svg', {
    class: 'figure', role: 'img', 'aria-label': label,
    viewBox: `0 ${-4 * size} ${right} ${top + 4 * size + below}`,
    preserveAspectRatio: 'xMidYMax meet',
  },
  svg('path', { class: 'floor', d: `M0 ${top + size}H${right}` }),
  drawn.map(({ path }) => svg('path', { class: 'bones', d: path })),
  drawn.filter(({ joint }) => joint).map(({ joint: [cx, cy] }) =>
    svg('circle', { class: 'joint', cx, cy, r: 3.5 * size })),
  captions ? drawn.map(({ pose, middle }) => svg('text', {
    x: middle, y: top + 13 * size, 'font-size': 9 * size,
    'text-anchor': 'middle',
  }, `#${pose.frame}`)) : []);
}
