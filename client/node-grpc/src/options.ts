// Options of docs/options.md as messages of the API.

import { wrongOption } from './errors.js';
import {
  AnimConstraint as ConstraintMessage, AnimProfile, AnimReference, Axis,
  BvhChannels, BvhOrder, ConvertOptions, DropMode, Interpolation,
  JointPositions, NpzArray, RootOffset, RotationKind, RotationSpace, Severity,
  TensorLayout,
} from './generated/bvhmill/v1/options.js';
import {
  type ClipOptions, FORMATS, type Format, type FormatOptions,
} from './generated/option_types.js';
import { didYouMean, wrong } from './option_check.js';
import {
  OPTION_NAMES, SCHEMAS, camel, fieldIn, pathOf,
} from './option_fields.js';

export type { ClipOptions, Format, FormatOptions };

/** An offset or a direction: X forward, Y left, Z up. */
export interface AnimVector { x?: number; y?: number; z?: number }

/** A constraint of an .anim; docs/formats/anim.md explains it. */
export interface AnimConstraint {
  chain_length?: number;
  type?: 'point' | 'plane';
  source_volume: string;
  target_volume: string;
  source_offset?: AnimVector;
  target_offset?: AnimVector;
  target_direction?: AnimVector;
  ease_in_start_seconds?: number;
  ease_in_stop_seconds?: number;
  ease_out_start_seconds?: number;
  ease_out_stop_seconds?: number;
}

interface Constraints {
  /** the constraints of an .anim */
  anim_constraints?: readonly AnimConstraint[];
}

/** Options of a conversion: docs/options.md. */
export interface Options extends ClipOptions, Constraints {}

/** A format, or an output with an id and options of its own. */
export type Emit = Format | (FormatOptions & Constraints & {
  format: Format;
  /** The name of the output; default that of the format. */
  id?: string;
});

type Fields = Record<string, unknown>;

// The options whose words are values of an enum.
const ENUMS: Record<string, Record<string, unknown>> = {
  joint_positions: JointPositions, root_offset: RootOffset, up: Axis,
  to_up: Axis, drop_mode: DropMode, interpolation: Interpolation,
  severities: Severity, layout: TensorLayout, rotation_kind: RotationKind,
  rotation_space: RotationSpace, npz_arrays: NpzArray, csv_arrays: NpzArray,
  bvh_order: BvhOrder, bvh_channels: BvhChannels,
  anim_profile: AnimProfile, anim_reference: AnimReference,
};

const UNITS: Record<string, number> = {
  m: 1, cm: 0.01, mm: 0.001, in: 0.0254, inch: 0.0254, ft: 0.3048,
};

const CONSTRAINT_TYPES = ['point', 'plane'];

/** The ConvertOptions of options and outputs, all of which are checked. */
export function convertOptionsOf(options: Options,
  emit: readonly Emit[]): ConvertOptions {
  const message: Fields = {
    outputs: emit.map((one) => outputOf(one, options)),
  };
  const formats = emit.map((one) => typeof one === 'string' ? one : one.format);
  for (const [name, value] of setOptions(options)) {
    const path = pathOf(name);
    if (path === undefined) {
      if (formats.some((one) => fieldIn(one, name))) continue;
      throw wrongOption(name, 'none of the outputs has this option');
    }
    let target = message;
    for (const key of path ? path.split('.') : []) {
      target = (target[key] ??= {}) as Fields;
    }
    Object.assign(target, fieldsOf(name, name, value));
  }
  return ConvertOptions.fromPartial(message);
}

function isFormat(format: unknown): format is Format {
  return FORMATS.includes(format as Format);
}

function outputOf(emit: Emit, options: Options): Fields {
  const { format, id = '', ...own } =
    typeof emit === 'string' ? { format: emit } : emit;
  if (!isFormat(format)) {
    const near = didYouMean(String(format), FORMATS);
    throw wrongOption('emit',
      `'${format}' is no format${near}; there are ${FORMATS.join(', ')}`);
  }
  const value: Fields = {};
  const words = [...setOptions(options), ...setOptions(own)];
  for (const [name, word] of words) {
    const field = fieldIn(format, name);
    if (field !== undefined) Object.assign(value, fieldsOf(name, field, word));
  }
  for (const name of Object.keys(own)) {
    if (fieldIn(format, name) === undefined) {
      throw wrongOption('emit', `${format} has no option '${name}'`);
    }
  }
  return { id: id || format, format: { $case: format, value } };
}

// The options that are set, checked by the schema.
function setOptions(options: object): [string, unknown][] {
  const set = Object.entries(options).filter(([, value]) => value != null);
  for (const [name, value] of set) {
    const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
    if (schema === undefined) {
      throw wrongOption(name,
        `there is no such option${didYouMean(name, OPTION_NAMES)}`);
    }
    const why = wrong(schema, value) ?? wrongRange(name, value);
    if (why) throw wrongOption(name, `must be ${why}`);
  }
  return set;
}

// The value of an option as fields of its message.
function fieldsOf(name: string, field: string, value: unknown): Fields {
  const key = camel(field);
  const parts = value as readonly (number | null)[];
  const pairs = Object.entries(value as object);
  switch (name) {
    case 'units':
    case 'to_units':
      return { [key]: UNITS[value as string] ?? value };
    case 'frames':
      return { frames: {
        begin: parts[0] ?? 0, end: parts[1] ?? 0, step: parts[2] ?? 1,
      } };
    case 'trim':
      return { trim: {
        beginSeconds: parts[0] ?? 0, endSeconds: parts[1] ?? 0,
      } };
    case 'anim_loop':
      if (typeof value === 'boolean') return { loop: value };
      return { loop: true, loopIn: parts[0], loopOut: parts[1] };
    case 'joint_map':
    case 'anim_map':
      if (typeof value === 'string') return { [key]: value };
      return { [`${key}Rows`]:
        pairs.map(([source, target]) => ({ source, target })) };
    case 'severities':
      return { [key]: Object.fromEntries(pairs.map(([code, word]) =>
        [code, numberOf(name, word)])) };
    case 'thresholds':
      return { [key]: pairs.map(([at, number]) => {
        const [code, ...rest] = at.split('.');
        return { code, name: rest.join('.'), value: number };
      }) };
    case 'anim_joint_priority':
      return { [key]:
        pairs.map(([joint, priority]) => ({ joint, priority })) };
    case 'anim_constraints':
      return { [key]: (value as AnimConstraint[]).map(constraintOf) };
    case 'npz_arrays':
    case 'csv_arrays':
      return { [key]:
        (value as string[]).map((word) => numberOf(name, word)) };
    default:
      return { [key]: name in ENUMS ? numberOf(name, value) : value };
  }
}

// The value of an enum: AXIS_Y for 'y'.
function numberOf(option: string, word: unknown): number {
  const end = `_${String(word).toUpperCase()}`;
  const names = ENUMS[option] as Record<string, unknown>;
  const found = Object.keys(names).filter((name) => name.endsWith(end))
    .sort((a, b) => a.length - b.length)[0];
  return names[found as string] as number;
}

function constraintOf(constraint: AnimConstraint): Fields {
  const { type = 'point', ...rest } = constraint;
  const number = 1 + CONSTRAINT_TYPES.indexOf(type);
  if (number === 0) {
    throw wrongOption('anim_constraints', 'type must be point or plane');
  }
  const known = ConstraintMessage.create();
  const message: Fields = { type: number };
  for (const [key, value] of Object.entries(rest)) {
    if (!(camel(key) in known)) {
      throw wrongOption('anim_constraints', `a constraint has no '${key}'`);
    }
    message[camel(key)] = value;
  }
  return message;
}

// Values that the message cannot hold, or that it would hold as not set.
function wrongRange(name: string, value: unknown): string | undefined {
  const isList = name === 'npz_arrays' || name === 'csv_arrays';
  if (isList && (value as unknown[]).length === 0) {
    return 'one array at least';
  }
  if (name !== 'frames' && name !== 'trim') return undefined;
  const [begin, end, step] = value as (number | null | undefined)[];
  if (end != null && end <= (begin ?? 0)) return 'a begin and a later end';
  return step != null && step < 1 ? 'a step of at least 1' : undefined;
}
