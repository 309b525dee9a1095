// Prints options.d.cts, the TypeScript types of options, which are made of
// their JSON schema:
//
//   node make_option_types.js > options.d.cts

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SCHEMA = '../../docs/schema/options.schema.json';

export function optionTypes() {
  const schema = JSON.parse(
      readFileSync(new URL(SCHEMA, import.meta.url), 'utf8'));
  // An item of `emit` is the name of a format, or an object.
  const { emit, ...rest } = schema.properties;
  const [format, output] = emit.items.anyOf;
  // An option of outputs may stand in one output, or beside all of them.
  const { id, format: name, ...shared } = output.properties;
  const own = Object.entries(rest).filter(([key]) => !(key in shared));
  return '// Made by make_option_types.js of docs/schema/options.schema.json.\n' +
      '// docs/options.md explains the options.\n\n' +
      folded(`export type Format: ${typeOf(format)};\n`).replace(':', ' =') +
      '\n' +
      comment('Options of outputs', '') +
      interfaceOf('FormatOptions', { properties: shared }) + '\n' +
      comment('An output with options of its own', '') +
      interfaceOf('OutputOptions extends FormatOptions',
                  { ...output, properties: { id, format: name } }) + '\n' +
      comment('Options of a conversion', '') +
      interfaceOf('Options extends FormatOptions',
                  { ...schema, properties: Object.fromEntries(own) }, comment(
          'the outputs', '  ') + '  emit?: (Format | OutputOptions)[];\n');
}

function interfaceOf(name, { properties, required = [] }, more = '') {
  const rows = Object.entries(properties).map(([key, schema]) => {
    const mark = required.includes(key) ? '' : '?';
    const type = `  ${key}${mark}: ${typeOf(schema)};\n`;
    return comment(schema.description, '  ') + folded(type);
  });
  return `export interface ${name} {\n${rows.join('')}${more}}\n`;
}

function typeOf({ type, enum: values, anyOf, items, additionalProperties: of,
                  minItems, maxItems }) {
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (values) return values.map((value) => `'${value}'`).join(' | ');
  if (Array.isArray(type)) {
    return type.map((one) => typeOf({ type: one })).join(' | ');
  }
  switch (type) {
    case 'integer': return 'number';
    case 'object': return `Record<string, ${typeOf(of)}>`;
    case 'array': return arrayOf(typeOf(items), minItems, maxItems);
    default: return type;
  }
}

function arrayOf(item, least, most) {
  if (most === undefined) {
    return item.includes('|') ? `(${item})[]` : `${item}[]`;
  }
  const tuples = [];
  for (let n = least; n <= most; ++n) {
    tuples.push(`[${Array(n).fill(item).join(', ')}]`);
  }
  return tuples.join(' | ');
}

// Breaks a line that is too long before each `|` outside of brackets.
function folded(line) {
  if (line.length <= 81) return line;
  const [key, type] = line.split(/: (.*)/s);
  let depth = 0;
  let text = `${key}:\n    `;
  for (const word of type.trimEnd().split(' ')) {
    text += depth === 0 && word === '|' ? '\n    | ' : `${word} `;
    depth += (word.match(/[[(<]/g) ?? []).length;
    depth -= (word.match(/[\])>]/g) ?? []).length;
  }
  return text.replace(/ +$/gm, '') + '\n';
}

function comment(text, indent) {
  if (!text) return '';
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > 76 - indent.length) lines.push(` ${word}`);
    else lines[lines.length - 1] = line;
  }
  if (lines.length === 1) return `${indent}/**${lines[0]} */\n`;
  return `${indent}/**\n` +
      lines.map((line) => `${indent} *${line}\n`).join('') + `${indent} */\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(optionTypes());
}
