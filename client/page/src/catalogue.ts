// The catalogue of issues, which the engine has.

import type { CatalogueEntry } from './take';

const entries = new Map<string, CatalogueEntry>();

export function hasCatalogue(): boolean {
  return entries.size > 0;
}

export function setCatalogue(list: CatalogueEntry[]): void {
  for (const entry of list) entries.set(entry.code, entry);
}

// The entry of a code; one with only the code if it is unknown.
export function entryOf(code: string): CatalogueEntry {
  return entries.get(code) ??
      { code, severity: '', severity_strict: '', title: code, message: '',
        help: '' };
}
