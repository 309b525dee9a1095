// Decodes the errors of failed calls with a stock decoder of google.rpc.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const {
  Metadata, Status, createChannel, createClientFactory,
} = require('nice-grpc');
const { RichClientError, errorDetailsClientMiddleware } =
  require('nice-grpc-error-details');
const {
  ROOT, startServer, makeFolder, makeTakes, positionsHere, hashToken,
} = require('./server_process');
const { v1 } = require(path.join(ROOT, 'docs', 'examples', 'node', 'bvhmill'));

const folder = makeFolder();
const takes = path.join(folder, 'takes');
const tokens = path.join(folder, 'tokens');
let server;
let channel;
let client;
let walk;

const OUTPUTS = [{ positions: {} }];
const MAKER = 'maker-secret';

before(async () => {
  makeTakes(takes);
  walk = fs.readFileSync(path.join(takes, 'walk_cycle.bvh'));
  fs.writeFileSync(tokens,
    hashToken('maker', MAKER) +
    hashToken('small', 'small-secret').trimEnd() + ':bytes=1000\n' +
    hashToken('reader', 'reader-secret')
      .replace(/:[a-z,]*\s*$/, ':read\n'));
  server = await startServer('--token-file', tokens);
  channel = createChannel(server.address);
  client = createClientFactory().use(errorDetailsClientMiddleware)
    .create(v1.ClipService.service, channel);
});

after(async () => {
  channel.close();
  await server.stop();
  fs.rmSync(folder, { recursive: true });
});

function withToken(token) {
  return { metadata: Metadata({ authorization: `Bearer ${token}` }) };
}

// The error of a call, and its details by type.
async function failure(request, token = MAKER) {
  const error = await client.ConvertClip(request, withToken(token))
    .then(() => assert.fail('the call did not fail'), (e) => e);
  assert.ok(error instanceof RichClientError, String(error));
  const details = Object.fromEntries(
    error.extra.map((detail) => [detail.$type, detail]));
  assert.equal(Object.keys(details).length, error.extra.length);
  return { error, details };
}

function requestOf(text, options = { outputs: OUTPUTS }) {
  return { source: { data: Buffer.from(text) }, options };
}

test('a good clip is converted', async () => {
  const { result } = await client.ConvertClip(
    requestOf(walk), withToken(MAKER));
  const here = positionsHere(path.join(takes, 'walk_cycle.bvh'), folder);
  assert.ok(here.equals(result.outputs[0].data));
});

test('the result of a broken file has the place and the report', async () => {
  const { result } = await client.ConvertClip(
    requestOf('HIERARCHY\nROOT Hips\n{\n  OFSET 0\n'), withToken(MAKER));
  const { code, info } = result.status;
  assert.equal(code, Status.INVALID_ARGUMENT);
  assert.equal(info.domain, 'bvhmill.v1');
  assert.equal(info.metadata.line, '4');
  assert.equal(info.metadata.column, '3');
  assert.equal(result.report.issues[0].code, info.reason);
  assert.equal(result.outputs.length, 0);
});

test('BadRequest names the option that cannot be', async () => {
  const { error, details } = await failure(requestOf(walk, {
    outputs: [{ id: 'a', positions: {} }, { id: 'a', positions: {} }],
  }));
  assert.equal(error.code, Status.INVALID_ARGUMENT);
  const [violation] = details['google.rpc.BadRequest'].fieldViolations;
  assert.equal(violation.field, 'options.outputs[1].id');
  assert.notEqual(violation.description, '');
});

test('QuotaFailure names the limit', async () => {
  const outputs = Array.from({ length: 17 }, (_, i) => (
    { id: String(i), positions: {} }));
  const { error, details } = await failure(requestOf(walk, { outputs }));
  assert.equal(error.code, Status.RESOURCE_EXHAUSTED);
  const [violation] = details['google.rpc.QuotaFailure'].violations;
  assert.equal(violation.subject, 'max_outputs_per_clip');
  assert.equal(details['google.rpc.ErrorInfo'].reason, 'LIMIT_EXCEEDED');
});

test('QuotaFailure names the quota of a token', async () => {
  const { error, details } = await failure(requestOf(walk), 'small-secret');
  assert.equal(error.code, Status.RESOURCE_EXHAUSTED);
  assert.equal(details['google.rpc.ErrorInfo'].reason, 'CALLER_BUSY');
  // It can never fit: there is no use in coming back.
  assert.equal(details['google.rpc.RetryInfo'], undefined);
  assert.equal(details['google.rpc.QuotaFailure'].violations.length, 1);
});

test('ResourceInfo names the method that a token may not call', async () => {
  const { error, details } = await failure(requestOf(walk), 'reader-secret');
  assert.equal(error.code, Status.PERMISSION_DENIED);
  assert.equal(details['google.rpc.ErrorInfo'].reason, 'SCOPE_MISSING');
  const resource = details['google.rpc.ResourceInfo'];
  assert.equal(resource.resourceType, 'method');
  assert.equal(resource.resourceName, 'ConvertClip');
});

test('a token that is not known is told so', async () => {
  const { error, details } = await failure(requestOf(walk), 'guess');
  assert.equal(error.code, Status.UNAUTHENTICATED);
  assert.equal(details['google.rpc.ErrorInfo'].reason, 'TOKEN_UNKNOWN');
});

test('RetryInfo says when to come back', async () => {
  const tight = await startServer('--max-inflight-clips', '1');
  const connection = createChannel(tight.address);
  const busy = createClientFactory().use(errorDetailsClientMiddleware)
    .create(v1.ClipService.service, connection);
  let release;
  const released = new Promise((resolve) => { release = resolve; });
  async function* half() {
    yield { open: { report_issues_early: true } };
    yield { begin: { key: 'half', source: {} } };
    yield { chunk: Buffer.concat([Buffer.from('# a comment\n'), walk]) };
    await released;
  }
  const stream = busy.ConvertClips(half())[Symbol.asyncIterator]();
  assert.equal((await stream.next()).value.frame, 'issues_found');
  const error = await busy.ConvertClip(requestOf(walk)).catch((e) => e);
  assert.equal(error.code, Status.RESOURCE_EXHAUSTED);
  const retry = error.extra.find((d) => d.$type === 'google.rpc.RetryInfo');
  const { seconds, nanos } = retry.retryDelay;
  assert.ok(Number(seconds) + nanos > 0);
  release();
  await assert.rejects(async () => { while (!(await stream.next()).done); });
  connection.close();
  await tight.stop();
});
