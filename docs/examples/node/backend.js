// An Express server that has a bvhmill server convert the takes of its users,
// over gRPC, and answers with .npz:
//
//     bvhmilld
//     node docs/examples/node/backend.js
//     curl -T take.bvh 'http://127.0.0.1:3000/takes?fps=30' -o take.npz
//
// BVHMILL_SERVER is HOST:PORT, BVHMILL_CA a file of trusted certificates and
// BVHMILL_TOKEN a token, if the server wants them.
'use strict';

const fs = require('node:fs');
const express = require('express');
const { Bvhmill, BvhmillError } = require('@bvhmill/client');

const {
  BVHMILL_SERVER: server = '127.0.0.1:7450', BVHMILL_CA: ca,
  BVHMILL_TOKEN: token, PORT: port = 3000,
} = process.env;
const MAX_BYTES = 64 << 20;

const mill = new Bvhmill(server, {
  token, timeoutMs: 60_000, tls: ca && { ca: fs.readFileSync(ca) },
});

// The HTTP status of an error.
const STATUS = {
  INVALID_ARGUMENT: 422, FAILED_PRECONDITION: 422, RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503, DEADLINE_EXCEEDED: 504,
};

// A signal that aborts when the browser goes away.
function signalOf(response) {
  const controller = new AbortController();
  response.on('close', () => {
    if (!response.writableEnded) controller.abort();
  });
  return controller.signal;
}

const app = express();

// A small take is kept, so that a call can be made again while the server is
// busy. The bytes of a larger one are passed on as they come.
function sourceOf(request) {
  const size = Number(request.headers['content-length'] ?? Infinity);
  if (size > MAX_BYTES) return request;
  return new Response(request, { duplex: 'half' }).blob();
}

app.put('/takes', async (request, response) => {
  const { fps } = request.query;
  const { outputs } = await mill.convert(await sourceOf(request), {
    emit: ['npz'], signal: signalOf(response),
    fps: fps === undefined ? undefined : Number(fps),
  });
  response.type(outputs.npz.mediaType).end(outputs.npz.data);
});

// Express knows an error handler by its four parameters.
app.use((error, request, response, next) => {
  if (response.destroyed || response.headersSent) return;
  if (!(error instanceof BvhmillError)) {
    next(error);
    return;
  }
  if (error.retryAfterMs !== null) {
    response.set('Retry-After', String(Math.ceil(error.retryAfterMs / 1000)));
  }
  const { code, reason, field, report } = error;
  response.status(STATUS[code] ?? 502)
    .json({ code, reason, field, detail: error.message, report });
});

const http = app.listen(Number(port), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${http.address().port}`);
});

process.once('SIGTERM', () => {
  http.close();
  mill.close();
});
