// An Express server that passes the takes of its users on to bvhmilld, without
// a copy in memory:
//
//   bvhmilld --http 7452
//   node docs/examples/node/express.js
//   curl -T take.bvh http://127.0.0.1:3000/takes/npz -o take.npz
'use strict';

const { Readable } = require('node:stream');
const express = require('express');

const bvhmill = process.env.BVHMILL_HTTP ?? 'http://127.0.0.1:7452';
const app = express();

app.put('/takes/:format', async (request, response) => {
  const query = new URLSearchParams({ emit: request.params.format });
  const answer = await fetch(`${bvhmill}/v1/convert?${query}`, {
    method: 'POST', body: Readable.toWeb(request), duplex: 'half',
  });
  response.status(answer.status);
  response.type(answer.headers.get('content-type'));
  Readable.fromWeb(answer.body).pipe(response);
});

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
