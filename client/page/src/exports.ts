// Downloads: every output of the engine, and the command line that makes the
// same. The options are those of docs/options.md, by their keys.

import { button, choice, el, toggle } from './dom';
import { npyOf } from './npy';
import { REPAIRS } from './session';
import { state, touch, update } from './store';
import type { Output, Report } from './take';

const FORMATS: [string, string][] = [
  ['npz', 'positions and rotations, with names, for NumPy'],
  ['csv', 'positions as a table'],
  ['positions', 'positions as .npy'],
  ['rotations', 'rotations as .npy'],
  ['velocities', 'velocities as .npy'],
  ['values', 'channel values as .npy'],
  ['bvh', 'BVH, edited'],
  ['anim', '.anim of Second Life'],
  ['glb', 'glTF, for Blender, Unity and Unreal'],
  ['report', 'the report as JSON'],
];

type Options = Record<string, unknown>;

// What is chosen, for all takes.
const emit = new Set(['npz']);
let edits: Options = {};
let repairs = false;
let status = '';

// The options of the conversion, without those of the take.
function chosen(): Options {
  return { emit: FORMATS.map(([id]) => id).filter((id) => emit.has(id)),
           ...edits, ...(repairs ? REPAIRS : {}) };
}

// The options that need another one that is not there are left out.
function usable(options: Options): Options {
  const out = { ...options };
  if (out.up === undefined) delete out.to_up;
  if (out.units === undefined) delete out.to_units;
  return out;
}

export function exportPanel(): Node[] {
  const { take, clip } = state;
  if (take === null) return [];
  const set = (key: string, value: unknown) => {
    edits = { ...edits };
    if (value === undefined || value === false) delete edits[key];
    else edits[key] = value;
    touch('options');
  };
  const rate = el('input', {
    type: 'number', min: '1', max: '1000', step: 'any', placeholder: 'as it is',
    change: () => set('fps', Number(rate.value) || undefined),
  });
  rate.value = String(edits.fps ?? '');
  const command = commandLine();
  return [
    el('fieldset', {}, el('legend', {}, 'Outputs'),
       ...FORMATS.map(([id, about]) => {
         const box = toggle('', emit.has(id), (on) => {
           if (on) emit.add(id);
           else emit.delete(id);
           touch('options');
         });
         box.append(el('strong', {}, id),
                    el('span', { class: 'quiet' }, about));
         return box;
       })),
    el('fieldset', {}, el('legend', {}, 'Edits'),
       el('label', { class: 'field' }, el('span', {}, 'Frames per second'),
          rate),
       toggle('Repair all known faults', repairs, (on) => {
         repairs = on;
         touch('options');
       }),
       toggle('In place: no horizontal motion', edits.in_place === true,
              (on) => set('in_place', on)),
       toggle('Mirror left and right', edits.mirror === true,
              (on) => set('mirror', on)),
       take.options.up ? choice(
           'Turn so that up is', [['', 'as it is'], ['x', 'X'], ['y', 'Y'],
                                  ['z', 'Z']], String(edits.to_up ?? ''),
           (v) => set('to_up', v || undefined)) : null,
       take.options.units ? choice(
           'Scale to', [['', 'as it is'], ['m', 'meters'],
                        ['cm', 'centimeters'], ['in', 'inches']],
           String(edits.to_units ?? ''),
           (v) => set('to_units', v || undefined)) : null),
    button('Download', () => download(),
           { class: 'primary wide',
             disabled: emit.size === 0 || !clip?.isRead }),
    el('p', { class: 'fault', hidden: status === '' }, status),
    el('h2', { class: 'sub' }, 'The same by the command line'),
    el('pre', { class: 'command', tabindex: '0', 'aria-label': 'Command' },
       command),
    button('Copy', () => {
      navigator.clipboard.writeText(command).then(
          () => update({ message: 'Copied' }),
          () => update({ message: 'The browser does not allow to copy' }));
    }, { class: 'chip' }),
  ];
}

export function commandLine(): string {
  const { take } = state;
  if (take === null) return '';
  const options = usable({ ...chosen(), ...take.options });
  return `bvhmill convert ${quoted(take.name)} -o out${flagsOf(options)}`;
}

// The flag of each option: its key with "-" in place of "_".
function flagsOf(options: Options): string {
  return Object.entries(options).map(([key, value]) => {
    const flag = ` --${key.replaceAll('_', '-')}`;
    if (value === true) return flag;
    return `${flag} ${quoted(Array.isArray(value) ? value.join(',')
        : String(value))}`;
  }).join('');
}

// For a POSIX shell. A name that begins with "-" would be a flag.
function quoted(word: string): string {
  const safe = word.startsWith('-') ? `./${word}` : word;
  if (/^[\w.,:/+-]+$/.test(safe)) return safe;
  return `'${safe.replaceAll("'", `'\\''`)}'`;
}

async function download(): Promise<void> {
  const { take, clip } = state;
  if (take === null || clip === null) return;
  status = '';
  try {
    const options = usable({ ...chosen(), ...take.options });
    const { emit, ...rest } = options;
    const made = (emit as string[]).filter((id) => id !== 'report');
    const stem = take.name.replace(/\.(bvh|anim)?(\.gz)?$/i, '');
    if ((emit as string[]).includes('report')) {
      const { report, info } = clip.result!;
      save(`${stem}.report.json`, JSON.stringify(
          { file: take.name, report, info }) + '\n', 'application/json');
    }
    if (made.length === 0) return;
    const result = await clip.ask<{
      status: { code: string; message: string };
      outputs: Record<string, Output>;
      report: Report;
    }>({ kind: 'convert', options: { ...rest, emit: made } });
    if (result.status.code !== 'OK') status = result.status.message;
    for (const output of Object.values(result.outputs)) {
      if (output.data === null) {
        status = `${output.id}: ${output.status.message}`;
      } else if (output.shape !== null) {
        save(`${stem}.${output.id}.npy`,
             npyOf(output.data as Float32Array, output.shape));
      } else {
        save(`${stem}.${output.id}`, output.data as BlobPart);
      }
    }
  } catch (error) {
    status = (error as Error).message;
  } finally {
    update({ message: status || 'Downloaded' });
    touch('options');
  }
}

function save(name: string, data: BlobPart,
              type = 'application/octet-stream'): void {
  const url = URL.createObjectURL(new Blob([data], { type }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
