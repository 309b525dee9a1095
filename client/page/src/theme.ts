// Light and dark. The colours of canvases are those of the style sheet.

import type { Colour } from './draw_list';
import { touch } from './store';

export interface Theme {
  view: Colour;
  grid: Colour;
  bone: Colour;
  joint: Colour;
  other: Colour;
  accent: Colour;
  error: Colour;
  warning: Colour;
  info: Colour;
  hint: Colour;
  // As CSS.
  text: string;
  quiet: string;
  line: string;
  panel: string;
  series: string[];
}

let current: Theme | null = null;

export function theme(): Theme {
  current ??= read();
  return current;
}

function read(): Theme {
  const style = getComputedStyle(document.documentElement);
  const text = (name: string) => style.getPropertyValue(name).trim();
  const colour = (name: string): Colour => {
    const hex = text(name);
    return [1, 3, 5].map(
        (i) => parseInt(hex.slice(i, i + 2), 16) / 255) as Colour;
  };
  return {
    view: colour('--view'), grid: colour('--grid'), bone: colour('--bone'),
    joint: colour('--joint'), other: colour('--other'),
    accent: colour('--accent'), error: colour('--error'),
    warning: colour('--warning'), info: colour('--info'),
    hint: colour('--hint'), text: text('--text'), quiet: text('--quiet'),
    line: text('--line'), panel: text('--panel'),
    series: [1, 2, 3, 4].map((n) => text(`--series-${n}`)),
  };
}

export function cssOf(colour: Colour): string {
  return `rgb(${colour.map((v) => Math.round(v * 255)).join(' ')})`;
}

const dark = matchMedia('(prefers-color-scheme: dark)');

export function isDark(): boolean {
  return (document.documentElement.dataset.theme ??
          (dark.matches ? 'dark' : 'light')) === 'dark';
}

export function switchTheme(): void {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  changed();
}

function changed(): void {
  current = null;
  touch('theme');
}

dark.addEventListener('change', changed);
