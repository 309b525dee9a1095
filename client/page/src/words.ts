// Numbers as text.

export function count(n: number, noun: string): string {
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
}

export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)} KB`;
  return `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} MB`;
}

export function seconds(s: number): string {
  if (s < 60) return `${s.toFixed(2)} s`;
  const rest = (s % 60).toFixed(1).padStart(4, '0');
  return `${Math.floor(s / 60)}:${rest}`;
}

// Four significant digits.
export function short(n: number): string {
  if (!Number.isFinite(n)) return '-';
  return Math.abs(n) >= 1000 ? n.toFixed(0) : String(+n.toPrecision(4));
}

// The largest of 1, 2, 5, 10, 20, ... that is at most `n`.
export function roundDown(n: number): number {
  const power = 10 ** Math.floor(Math.log10(n));
  return (n >= 5 * power ? 5 : n >= 2 * power ? 2 : 1) * power;
}
