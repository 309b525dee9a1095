// The services of the API, loaded from the .proto files at run time.
'use strict';

const path = require('path');
const { parseArgs } = require('util');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');
const { checker } = require('./check');

const PROTO = path.join(__dirname, '..', '..', '..', 'proto');

const definition = protoLoader.loadSync(
  ['bvhmill/v1/clip_service.proto', 'bvhmill/v1/server_service.proto',
    'bvhmill/v1/status.proto'],
  {
    includeDirs: [PROTO],
    keepCase: true, // frame_time_seconds, not frameTimeSeconds
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: true,
  });

const v1 = grpc.loadPackageDefinition(definition).bvhmill.v1;

// checked('ConvertClipRequest', request) is the request, or throws an error
// that has the path of a misspelt field.
const checked = checker(definition, 'bvhmill.v1');

// The numbers of an array output: {shape, axes, values}. Copies, since a
// Float32Array must begin at a multiple of four bytes.
function arrayOf(output, data = output.data) {
  const bytes = data.buffer.slice(
    data.byteOffset, data.byteOffset + data.byteLength);
  const { shape, axes } = output.tensor;
  return { shape, axes, values: new Float32Array(bytes) };
}

// An output in words: `positions (frame,joint,xyz) = (120,26,3)`.
function describe(output, data = output.data) {
  if (output.tensor === null) return `${output.id}: ${data.length} bytes`;
  const { shape, axes } = output.tensor;
  return `${output.id} (${axes}) = (${shape})`;
}

// Why a take was refused, a line each, as a compiler would say it: the errors of
// its report or, if the take was not read, its status.
function faults(name, { status, report }) {
  const lines = (report?.issues ?? [])
    .filter(({ severity }) => severity === 'SEVERITY_ERROR')
    .map(({ code, message, location }) => {
      const { _line, line, column } = location ?? {};
      const place = _line ? `${name}:${line}:${column}` : name;
      return `${place}: error: ${code}: ${message}`;
    });
  return lines.length > 0 ? lines : [`${name}: ${status.message}`];
}

// {server, files, options} of the command line
//   TAKE.bvh... [--server HOST:PORT] [--options JSON]
// where the JSON is a ConvertOptions. If one is wrong, the program ends.
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        server: { type: 'string', default: '127.0.0.1:7450' },
        options: { type: 'string', default: '{"outputs":[{"positions":{}}]}' },
      },
    });
    if (positionals.length === 0) throw new TypeError('no TAKE.bvh');
    const options = JSON.parse(values.options);
    checked('ConvertClipRequest', { options });
    return { server: values.server, files: positionals, options };
  } catch (error) {
    console.error(`${path.basename(process.argv[1])}: ${error.message}`);
    return process.exit(2);
  }
}

module.exports = {
  grpc, v1, checked, arrayOf, describe, faults, readArguments,
};
