// Icons of 16 by 16, in the colour of the text.

const PATHS: Record<string, string> = {
  play: 'M4 2.5v11l9.5-5.5z',
  pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z',
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  last: 'M11 3h2v10h-2zM3 3v10l7-5z',
  back: 'M11 3v10L4 8z',
  next: 'M5 3v10l7-5z',
  issueBack: 'M9.5 4 5 8l4.5 4zM11 4h1.6v5H11zM11 10.4h1.6V12H11z',
  issueNext: 'M6.5 4 11 8l-4.5 4zM3.4 4H5v5H3.4zM3.4 10.4H5V12H3.4z',
  theme: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 3v10A5 5 0 0 0 8 3z',
  fit: 'M2 2h5v1.6H3.6V7H2zM9 2h5v5h-1.6V3.6H9zM2 9h1.6v3.4H7V14H2zM12.4 9' +
      'H14v5H9v-1.6h3.4z',
};

export function icon(name: string): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', PATHS[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}
