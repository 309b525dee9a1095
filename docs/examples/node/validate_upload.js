// An Express server that checks the takes of its users in a worker of its own
// process, without a bvhmill server:
//
//   node docs/examples/node/validate_upload.js
//   curl -T take.bvh http://127.0.0.1:3000/takes
'use strict';

const express = require('express');
const { BvhmillError, worker } = require('bvhmill');

const engine = worker();
const app = express();

app.put('/takes', async (request, response) => {
  const controller = new AbortController();
  // Whether the answer was sent, or the user has gone.
  response.on('close', () => controller.abort());
  try {
    const { report, info } =
      await engine.validate(request, { signal: controller.signal });
    response.status(report.counts.errors > 0 ? 422 : 200).json({ report, info });
  } catch (error) {
    if (response.destroyed) return;
    const isFault =
      error instanceof BvhmillError && error.code === 'INVALID_ARGUMENT';
    response.status(isFault ? 400 : 500).json({ error: error.message });
  }
});

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
