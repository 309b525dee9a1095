// The place of an option in the messages of the API. It follows from the name:
// the option is the field of that name in one of the messages below; one of a
// single format begins with the name of the format.

import {
  AnimFormat, BvhFormat, ClipEdits, ConvertOptions, CsvFormat, GlbFormat,
  NpzFormat, PositionsFormat, ReadOptions, Repairs, RotationsFormat,
  ValidationOptions, ValuesFormat, VelocitiesFormat,
} from './generated/bvhmill/v1/options.js';
import { type Format, OPTIONS } from './generated/option_types.js';
import type { Schema } from './option_check.js';

interface Message { create(): object }

// The messages of a clip, and their paths in ConvertOptions.
const CLIP_MESSAGES: readonly [string, Message][] = [
  ['read', ReadOptions], ['validation', ValidationOptions],
  ['edits', ClipEdits], ['edits.repairs', Repairs], ['', ConvertOptions],
];

const FORMAT_MESSAGES: Record<Format, Message> = {
  positions: PositionsFormat, rotations: RotationsFormat,
  velocities: VelocitiesFormat, values: ValuesFormat, npz: NpzFormat,
  csv: CsvFormat, bvh: BvhFormat, anim: AnimFormat, glb: GlbFormat,
};

/** The schema of each option. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...OPTIONS as Record<string, Schema>,
  anim_constraints: { type: 'array', items: { type: 'object' } },
};

/** The names of all options. */
export const OPTION_NAMES: readonly string[] = Object.keys(SCHEMAS);

/** frame_time as frameTime. */
export function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

function hasField(message: Message, name: string): boolean {
  return camel(name) in message.create();
}

/** The field of a format with an option; undefined if it has none. */
export function fieldIn(format: Format, option: string): string | undefined {
  const own = option.startsWith(`${format}_`);
  const field = own ? option.slice(format.length + 1) : option;
  return hasField(FORMAT_MESSAGES[format], field) ? field : undefined;
}

/** The path in ConvertOptions of the message that has an option of a clip. */
export function pathOf(option: string): string | undefined {
  return CLIP_MESSAGES.find(([, message]) => hasField(message, option))?.[0];
}

/** The name of the option in a field of the API; the field if there is none. */
export function optionOfField(field: string): string {
  const [, format, name] =
    /^options\.outputs\[\d+\]\.([a-z]+)\.([a-z_0-9]+)/.exec(field) ?? [];
  const option = format === undefined ? clipOptionOf(field)
    : OPTION_NAMES.find((key) => {
      const own = fieldIn(format as Format, key);
      return own !== undefined && name !== undefined &&
        name.startsWith(own) &&
        /^(_rows|_in|_out)?$/.test(name.slice(own.length));
    });
  return option ?? field;
}

function clipOptionOf(field: string): string | undefined {
  const at = field.replace(/^options\./, '');
  return OPTION_NAMES.find((key) => {
    const path = pathOf(key);
    if (path === undefined || at === field) return false;
    const own = path === '' ? key : `${path}.${key}`;
    return at.startsWith(own) && /^(_rows)?($|[.[])/.test(at.slice(own.length));
  });
}
