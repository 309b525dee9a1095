// The services of the API, loaded from the .proto files at run time.
'use strict';

const path = require('path');
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

// The errors of a report, a line each, as a compiler would say them.
function faults(name, report) {
  return (report?.issues ?? [])
    .filter(({ severity }) => severity === 'SEVERITY_ERROR')
    .map(({ code, message, location }) => {
      const { _line, line, column } = location ?? {};
      const place = _line ? `${name}:${line}:${column}` : name;
      return `${place}: error: ${code}: ${message}`;
    });
}

module.exports = { grpc, v1, checked, arrayOf, faults };
