// Nodes of the page. Texts of clips become text nodes, never HTML.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

// An element of HTML. A function among the attributes listens to the event of
// that name; null leaves an attribute or a child out.
function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

// The mark of a severity, for use in text. It says its name if `label` is set.
function mark(severity, label = false) {
  const { path } = SEVERITIES[RANK.get(severity)];
  const named = label ? { role: 'img', 'aria-label': severity }
    : { 'aria-hidden': 'true' };
  return svg('svg', {
    class: `mark ${severity}`, viewBox: '-6 -6 12 12', ...named,
  }, svg('path', { d: path }));
}

// Calls show(node) once for each node that was given to watch, when it comes
// near the visible part of the page.
function whenNear(show) {
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      show(target);
    }
  }, { rootMargin: '400px 0px' });
  return { watch: (node) => observer.observe(node) };
}

// Digits of packed numbers: 6 bits each.
const DIGITS =
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const DIGIT = new Map([...DIGITS].map((digit, value) => [digit, value]));

// The numbers of `text`, `size` digits each, the high digit first. The largest
// number means a gap, and becomes NaN.
function unpacked(text, size) {
  const gap = 64 ** size - 1;
  const values = [];
  for (let at = 0; at + size <= text.length; at += size) {
    let value = 0;
    for (let i = 0; i < size; ++i) value = value * 64 + DIGIT.get(text[at + i]);
    values.push(value === gap ? NaN : value);
  }
  return values;
}
