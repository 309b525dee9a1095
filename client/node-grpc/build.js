// Builds the package: messages from the .proto files, the types of options
// from their schema, then TypeScript to dist/. CHECKOUT is the checkout,
// if it is not two folders above.

import { execFileSync } from 'node:child_process';
import {
  mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, process.env.CHECKOUT ?? '../..');
const generated = join(here, 'src', 'generated');
const tools = join(here, 'node_modules', '.bin');

const PROTO_OPTIONS = [
  'env=both', 'outputServices=grpc-js', 'oneof=unions-value',
  'forceLong=number', 'esModuleInterop=true', 'importSuffix=.js',
  'useExactTypes=false',
];

function makeMessages() {
  const protos = join(root, 'proto');
  const files = readdirSync(join(protos, 'bvhmill', 'v1'))
    .filter((name) => name.endsWith('.proto'))
    .map((name) => join(protos, 'bvhmill', 'v1', name));
  execFileSync('protoc', [
    '-I', protos, `--plugin=${join(tools, 'protoc-gen-ts_proto')}`,
    `--ts_proto_out=${generated}`, `--ts_proto_opt=${PROTO_OPTIONS}`, ...files,
  ], { stdio: 'inherit' });
}

const WORDS = {
  boolean: 'boolean', integer: 'number', number: 'number', string: 'string',
  null: 'null',
};

// The type of the values that a schema allows.
function typeOf(schema) {
  if (schema.enum) return schema.enum.map((word) => `'${word}'`).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === 'array') return arrayTypeOf(schema);
  if (schema.type === 'object') {
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`;
  }
  return [schema.type].flat().map((word) => WORDS[word]).join(' | ');
}

function arrayTypeOf({ items, minItems = 0, maxItems = Infinity }) {
  const item = typeOf(items);
  if (maxItems === Infinity) return `readonly (${item})[]`;
  const parts = Array.from({ length: maxItems },
    (_, i) => i < minItems ? item : `(${item})?`);
  return `readonly [${parts.join(', ')}]`;
}

function interfaceOf(name, comment, properties) {
  const fields = Object.entries(properties).map(([key, schema]) =>
    `  /** ${schema.description} */\n  ${key}?: ${typeOf(schema)};\n`);
  return `/** ${comment} */\nexport interface ${name} {\n` +
    `${fields.join('')}}\n\n`;
}

function makeOptionTypes() {
  const { properties } = JSON.parse(readFileSync(
    join(root, 'docs', 'schema', 'options.schema.json'), 'utf8'));
  const { emit, ...options } = properties;
  const output = emit.items.anyOf[1].properties;
  const { id, format, ...ofOutput } = output;
  writeFileSync(join(generated, 'option_types.ts'),
    '// Made by build.js from docs/schema/options.schema.json.\n\n' +
    interfaceOf('ClipOptions', 'Options of a conversion.', options) +
    interfaceOf('FormatOptions', 'Those that one output may have on its own.',
      ofOutput) +
    `export type Format = ${typeOf(format)};\n\n` +
    '// The schemas of both.\n' +
    `export const OPTIONS: Record<string, unknown> = ${
      JSON.stringify(options, null, 2)};\n` +
    `export const FORMATS: readonly Format[] = ${
      JSON.stringify(format.enum)};\n`);
}

rmSync(generated, { recursive: true, force: true });
rmSync(join(here, 'dist'), { recursive: true, force: true });
mkdirSync(generated, { recursive: true });
makeMessages();
makeOptionTypes();
execFileSync(join(tools, 'tsc'), ['-p', here], { stdio: 'inherit' });
