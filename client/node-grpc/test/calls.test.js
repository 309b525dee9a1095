// Errors, tokens, TLS, deadlines, retries, and what ends a call.

import assert from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Bvhmill } from '@bvhmill/client';

import {
  PACKAGE, all, hashToken, makeFolder, makeTakes, removeFolder, startServer,
  writeLargeTake,
} from './support.js';

const folder = makeFolder();
const walk = join(folder, 'walk_cycle.bvh');
const large = join(folder, 'large.bvh');
let server;
let mill;

before(async () => {
  makeTakes(folder);
  writeLargeTake(large, 30_000);
  server = await startServer();
  mill = new Bvhmill(server.address);
});

after(async () => {
  mill.close();
  await server.stop();
  removeFolder(folder);
});

// Runs `use` with a server and a client of its own.
async function withServer(flags, options, use) {
  const own = await startServer(...flags);
  const client = new Bvhmill(own.address, options);
  try {
    return await use(client, own);
  } finally {
    client.close();
    await own.stop();
  }
}

// A source that never ends, and a promise of its destruction.
function endless(text = readFileSync(walk)) {
  const source = new Readable({ read() {} });
  source.push(text);
  return { source, closed: once(source, 'close') };
}

test('tokens: missing, wrong, without the right, and good', async () => {
  const tokens = join(folder, 'tokens');
  writeFileSync(tokens, hashToken('maker', 'maker-secret') +
    hashToken('reader', 'reader-secret').replace(/:[a-z,]*\s*$/, ':read\n'));
  const own = await startServer('--token-file', tokens);
  const withToken = (token) => new Bvhmill(own.address, { token });
  for (const token of [undefined, 'guess']) {
    const client = withToken(token);
    await assert.rejects(client.read(walk),
      { code: 'UNAUTHENTICATED', reason: 'TOKEN_UNKNOWN' });
    client.close();
  }
  const reader = withToken('reader-secret');
  const { report } = await reader.validate(walk);
  assert.strictEqual(report.verdict, 'VERDICT_VALID');
  await assert.rejects(reader.read(walk), (error) => {
    assert.strictEqual(error.code, 'PERMISSION_DENIED');
    assert.strictEqual(error.reason, 'SCOPE_MISSING');
    assert.strictEqual(error.metadata.scope, 'convert');
    return true;
  });
  reader.close();
  const maker = withToken('maker-secret');
  assert.strictEqual((await maker.read(walk)).info.frames, 120);
  maker.close();
  await own.stop();
});

test('a limit names itself', () => withServer(
  ['--max-clip-bytes', '10000'], {}, async (client) => {
    await assert.rejects(client.read(walk), (error) => {
      assert.strictEqual(error.code, 'RESOURCE_EXHAUSTED');
      assert.strictEqual(error.metadata.limit_name, 'max_clip_bytes');
      return true;
    });
    const { report, error } = await client.validate(walk);
    assert.strictEqual(report, null);
    assert.strictEqual(error.metadata.limit_name, 'max_clip_bytes');
  }));

test('an encoding that does not match is data for validate', async () => {
  const { report, error } = await mill.validate(walk, { encoding: 'gzip' });
  assert.strictEqual(report, null);
  assert.strictEqual(error.reason, 'ENCODING_BROKEN');
  await assert.rejects(mill.read(walk, { encoding: 'gzip' }),
    { reason: 'ENCODING_BROKEN' });
});

test('no server: UNAVAILABLE, with the target', async () => {
  const nobody = new Bvhmill('127.0.0.1:1');
  await assert.rejects(nobody.read(walk), (error) => {
    assert.strictEqual(error.code, 'UNAVAILABLE');
    assert.match(error.message, /^cannot reach 127\.0\.0\.1:1: /);
    return true;
  });
  nobody.close();
});

test('a deadline ends a call whose source waits', async () => {
  for (const call of ['read', 'validate']) {
    const { source, closed } = endless();
    await assert.rejects(mill[call](source, { timeoutMs: 200 }),
      { code: 'DEADLINE_EXCEEDED' });
    await closed;
  }
  await assert.rejects(mill.read(walk, { timeoutMs: 0 }), RangeError);
});

function openssl(...args) {
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
}

function certificate(name, issuer, subject) {
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`,
    '-out', `${name}.csr`, '-subj', '/CN=localhost');
  writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${subject}`);
  openssl('x509', '-req', '-in', `${name}.csr`, '-CA', `${issuer}.pem`,
    '-CAkey', `${issuer}.key`, '-CAcreateserial', '-days', '2',
    '-out', `${name}.pem`, '-extfile', `${name}.ext`);
}

test('TLS with an authority and a certificate of the client', async () => {
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2',
    '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=ca');
  certificate('server', 'ca', 'IP:127.0.0.1');
  certificate('client', 'ca', 'DNS:client');
  certificate('elsewhere', 'ca', 'DNS:mill.example');
  const file = (name) => join(folder, name);
  const pem = (name) => readFileSync(file(name));
  const tls = ['--tls-cert', file('server.pem'), '--tls-key',
    file('server.key')];
  const ca = pem('ca.pem');
  await withServer(tls, { tls: { ca } }, async (client, own) => {
    assert.strictEqual((await client.read(walk)).info.frames, 120);
    for (const wrong of [{ tls: true }, {}]) {
      const other = new Bvhmill(own.address, wrong);
      await assert.rejects(other.info({ timeoutMs: 3000 }),
        { code: 'UNAVAILABLE' });
      other.close();
    }
  });
  const mutual = [...tls, '--tls-client-ca', file('ca.pem')];
  const own = { cert: pem('client.pem'), key: pem('client.key') };
  await withServer(mutual, { tls: { ca, ...own } }, async (client) => {
    assert.ok((await client.info()).server_version);
  });
  await withServer(mutual, { tls: { ca } }, async (client) => {
    await assert.rejects(client.info(), { code: 'UNAVAILABLE' });
  });
  await withServer(['--tls-cert', file('elsewhere.pem'), '--tls-key',
    file('elsewhere.key')], { tls: { ca, serverName: 'mill.example' } },
  async (client) => assert.ok((await client.info()).server_version));
});

// Calls that wait, at several stages, each with its signal.
const STAGES = {
  'while the source waits': async (signal) => {
    const { source, closed } = endless();
    await Promise.all([mill.read(source, { signal }), closed]);
  },
  'while a source of validate waits': (signal) =>
    mill.validate(endless().source, { signal }),
  'while blocks come': async (signal) => {
    for await (const block of mill.stream(large, { signal })) {
      assert.ok(block.frames > 0);
      await sleep(50);
    }
  },
  'while sources come': async (signal) => {
    async function* slow() {
      yield walk;
      await new Promise(() => {});
    }
    await all(mill.readMany(slow(), { signal }));
  },
  'while the server is looked for': async (signal) => {
    const nobody = new Bvhmill('127.0.0.1:1');
    await nobody.read(walk, { signal }).finally(() => nobody.close());
  },
};

for (const [stage, begin] of Object.entries(STAGES)) {
  test(`abort ${stage}`, async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    for (const [method, step] of [['addEventListener', 1],
      ['removeEventListener', -1]]) {
      const original = signal[method].bind(signal);
      signal[method] = (...args) => {
        listeners += step;
        return original(...args);
      };
    }
    const reason = new Error('the browser went away');
    const ended = assert.rejects(begin(signal), (error) => error === reason);
    await sleep(120);
    assert.ok(listeners > 0);
    controller.abort(reason);
    await ended;
    assert.strictEqual(listeners, 0);
  });
}

test('a signal that was aborted begins nothing', async () => {
  const signal = AbortSignal.abort(new Error('no'));
  await assert.rejects(mill.read(walk, { signal }), /^Error: no$/);
  await assert.rejects(all(mill.jobs.list({ signal })), /^Error: no$/);
});

test('the listener is removed after a good call, too', async () => {
  const { signal } = new AbortController();
  let removed = 0;
  const original = signal.removeEventListener.bind(signal);
  signal.removeEventListener = (...args) => {
    ++removed;
    original(...args);
  };
  await mill.read(walk, { signal });
  assert.ok(removed > 0);
});

test('close ends calls, and later ones', async () => {
  const own = new Bvhmill(server.address);
  const { source, closed } = endless();
  const read = own.read(source);
  setTimeout(() => own.close(), 100);
  await assert.rejects(read, /the client is closed/);
  await closed;
  await assert.rejects(own.read(walk), { code: 'CANCELLED' });
  own.close();
});

test('a call that ends before it reads its source closes that', async () => {
  for (const begin of [(own, source) => own.read(source),
    (own, source) => own.validate(source),
    (own, source) => all(own.stream(source))]) {
    const own = new Bvhmill(server.address);
    const { source, closed } = endless();
    const call = begin(own, source);
    own.close();
    await assert.rejects(call, /the client is closed/);
    await closed;
  }
});

test('a busy server is asked again', () => withServer(
  ['--max-inflight-clips', '1'], {}, async (client) => {
    const { source } = endless();
    const controller = new AbortController();
    const blocker = client.read(source, { signal: controller.signal });
    blocker.catch(() => {});
    await sleep(200);
    setTimeout(() => controller.abort(), 500);
    const begun = Date.now();
    assert.strictEqual((await client.read(walk)).info.frames, 120);
    assert.ok(Date.now() - begun > 800);
    const outcomes = await all(client.readMany([walk, walk, walk, walk]));
    assert.deepStrictEqual(outcomes.map(({ ok }) => ok),
      [true, true, true, true]);
  }));

test('a stream cannot be sent again, and says so at once', () => withServer(
  ['--max-inflight-clips', '1'], {}, async (client) => {
    await client.info();
    const controller = new AbortController();
    client.read(endless().source, { signal: controller.signal })
      .catch(() => {});
    await sleep(200);
    await assert.rejects(client.read(Readable.from([readFileSync(walk)])),
      (error) => error.code === 'RESOURCE_EXHAUSTED' &&
        error.retryAfterMs === 1000);
    controller.abort();
  }));

test('a server that is started again is found', async () => {
  const first = await startServer();
  const client = new Bvhmill(first.address);
  await client.read(walk);
  let second;
  async function* sources() {
    yield walk;
    yield walk;
    await first.stop('SIGKILL');
    setTimeout(async () => {
      second = await startServer('--listen', first.address);
    }, 100);
    yield walk;
    yield walk;
  }
  const outcomes = await all(client.readMany(sources()));
  assert.deepStrictEqual(outcomes.map(({ index }) => index).sort(),
    [0, 1, 2, 3]);
  assert.ok(outcomes.every(({ ok }) => ok));
  await second.stop('SIGKILL');
  const third = startServer('--listen', first.address);
  assert.strictEqual((await client.read(walk)).info.frames, 120);
  client.close();
  await (await third).stop();
});

// Runs a program that must end by itself.
async function runAlone(code) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `
    import { Bvhmill } from '@bvhmill/client';
    const mill = new Bvhmill('${server.address}');
    const walk = ${JSON.stringify(walk)}, large = ${JSON.stringify(large)};
    ${code}`], { cwd: PACKAGE, stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  let said = '';
  child.stdout.on('data', (text) => { said += text; });
  const [status, signal] = await once(child, 'close');
  clearTimeout(timer);
  assert.deepStrictEqual([status, signal], [0, null]);
  return said.trim();
}

test('a program ends by itself after close, whatever was begun', async () => {
  for (const code of [
    'await mill.read(walk); mill.close();',
    'mill.close();',
    'for await (const block of mill.stream(large)) break; mill.close();',
    'for await (const o of mill.readMany([large, walk, walk])) break;' +
      'mill.close();',
    'const c = new AbortController(); setTimeout(() => c.abort(), 50);' +
      'await mill.read(large, { signal: c.signal }).catch(() => {});' +
      'mill.close();',
    'mill.read(large).catch(() => {}); setTimeout(() => mill.close(), 100);',
    'await mill.read(walk); await mill[Symbol.asyncDispose]();',
  ]) await runAlone(code);
});

test('memory stays bounded while a slow reader streams', async () => {
  const said = await runAlone(`
    import { setTimeout as sleep } from 'node:timers/promises';
    async function* long() { // 360 MB of text, 430 MB of positions.
      const { readFileSync } = await import('node:fs');
      const text = readFileSync(large);
      const rows = text.subarray(text.indexOf('Frame Time'));
      const row = rows.subarray(rows.indexOf(10) + 1);
      const head = text.subarray(0, text.length - row.length);
      yield Buffer.from(head.toString().replace('30000', '300000'));
      for (let i = 0; i < 10; ++i) yield row;
    }
    let frames = 0, most = 0, blocks = 0;
    const begin = process.memoryUsage().rss;
    for await (const block of mill.stream(long())) {
      frames += block.frames;
      if (++blocks % 50 === 0) await sleep(20);
      most = Math.max(most, process.memoryUsage().rss - begin);
    }
    console.log(frames, most);
    mill.close();`);
  const [frames, most] = said.split(' ').map(Number);
  assert.strictEqual(frames, 300_000);
  assert.ok(most < 200e6, `${most} bytes`);
});
