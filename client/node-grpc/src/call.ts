// Calls: one kind for all, since on the wire a unary call is a stream of one
// message. Each ends by its deadline, by an AbortSignal or with the connection.

import {
  ChannelCredentials, Client, type ClientDuplexStream, Metadata,
  type ServiceError, credentials,
} from '@grpc/grpc-js';
import { once } from 'node:events';

import { BvhmillError, errorOfCall } from './errors.js';

/** How long a call may take. */
export interface CallOptions {
  /** Ends the call; its reason is thrown. */
  signal?: AbortSignal;
  /** Milliseconds for the whole call with its retries. */
  timeoutMs?: number;
}

/** The end of a call and of its retries. */
export interface Limits {
  signal: AbortSignal | undefined;
  /** As Date.now(); Infinity: none. */
  deadline: number;
}

/** Certificates in PEM. */
export interface Tls {
  /** Trusted authorities; default those of Node. */
  ca?: string | Uint8Array;
  /** The certificate and the key of this client. */
  cert?: string | Uint8Array;
  key?: string | Uint8Array;
  /** The name in the server's certificate, if it is not that of the target. */
  serverName?: string;
}

export interface ConnectionOptions {
  token?: string | undefined;
  tls?: boolean | Tls | undefined;
}

/** A method of a service, as ts-proto describes it. */
export interface Method<Request, Response> {
  path: string;
  requestSerialize(message: Request): Buffer;
  responseDeserialize(bytes: Buffer): Response;
}

const ATTEMPTS = 4;

const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // Notices a peer that is gone without a word.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // gRPC would keep what was sent; retried() below does without.
  'grpc.enable_retries': 0,
  // A channel is closed with its client.
  'grpc.use_local_subchannel_pool': 1,
  'grpc-node.flow_control_window': 1 << 20,
};

/** The limits of a call that begins now. */
export function limitsOf(options: CallOptions,
  timeoutMs: number | undefined): Limits {
  const time = options.timeoutMs ?? timeoutMs;
  if (time !== undefined && !(time > 0)) {
    throw new RangeError(`timeoutMs: must be above 0, not ${time}`);
  }
  options.signal?.throwIfAborted();
  return {
    signal: options.signal,
    deadline: time === undefined ? Infinity : Date.now() + time,
  };
}

function buffer(pem: string | Uint8Array | undefined): Buffer | null {
  return pem === undefined ? null : Buffer.from(pem);
}

function credentialsOf(tls: boolean | Tls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  const { ca, cert, key } = tls === true ? {} as Tls : tls;
  return credentials.createSsl(buffer(ca), buffer(key), buffer(cert));
}

function isClosed(): BvhmillError {
  return new BvhmillError({
    code: 'CANCELLED', message: 'the client is closed',
  });
}

/** A connection to a server, for any number of calls at once. */
export class Connection {
  readonly #client: Client;
  readonly #metadata = new Metadata();
  // Ends each call and each pause.
  readonly #running = new Set<(reason: unknown) => void>();
  #closed = false;

  constructor(readonly target: string, options: ConnectionOptions) {
    const { token, tls } = options;
    const name = typeof tls === 'object' ? tls.serverName : undefined;
    this.#client = new Client(target, credentialsOf(tls), {
      ...CHANNEL_OPTIONS,
      ...name !== undefined && {
        'grpc.ssl_target_name_override': name,
        'grpc.default_authority': name,
      },
    });
    if (token !== undefined) {
      this.#metadata.set('authorization', `Bearer ${token}`);
    }
  }

  /** Begins a call. */
  begin<Request, Response>(method: Method<Request, Response>,
    limits: Limits): Exchange<Request, Response> {
    limits.signal?.throwIfAborted();
    if (this.#closed) throw isClosed();
    const call = this.#client.makeBidiStreamRequest<Buffer, Response>(
      method.path, (bytes) => bytes,
      (bytes) => method.responseDeserialize(bytes),
      this.#metadata, { deadline: limits.deadline });
    return new Exchange(this, method, call, limits.signal);
  }

  /** A call of one message each way. */
  async unary<Request, Response>(method: Method<Request, Response>,
    request: Request, limits: Limits): Promise<Response> {
    const exchange = this.begin(method, limits);
    try {
      await exchange.write(request);
      exchange.end();
      let response: Response | undefined;
      for await (const message of exchange) response = message;
      return response as Response;
    } finally {
      exchange.stop();
    }
  }

  /**
   * What `attempt` returns. It is tried again while the server cannot be
   * reached or asks for it, as long as `canRepeat` allows it.
   */
  async retried<T>(limits: Limits, attempt: () => Promise<T>,
    canRepeat: () => boolean = () => true,
    attempts = ATTEMPTS): Promise<T> {
    for (let made = 1; ; ++made) {
      try {
        return await attempt();
      } catch (error) {
        if (made >= attempts || !canRepeat()) throw error;
        await this.pauseAfter(error, made, limits);
      }
    }
  }

  /** Waits before the next try; throws the error if it is hopeless. */
  async pauseAfter(error: unknown, made: number,
    limits: Limits): Promise<void> {
    const delay = delayAfter(error, made);
    if (delay === null || this.#closed ||
        Date.now() + delay >= limits.deadline) throw error;
    await this.#pause(delay, limits);
  }

  /** What the promise gives, or the end of the call if that comes first. */
  within<T>(limits: Limits, promise: Promise<T>): Promise<T> {
    return this.#until(limits, (resolve, reject) => {
      promise.then(resolve, reject);
      const left = limits.deadline - Date.now();
      if (left === Infinity) return undefined;
      return setTimeout(() => reject(new BvhmillError({
        code: 'DEADLINE_EXCEEDED', message: 'the source took too long',
      })), left);
    });
  }

  #pause(milliseconds: number, limits: Limits): Promise<void> {
    return this.#until(limits, (resolve) => setTimeout(resolve, milliseconds));
  }

  // A promise that `begin` settles, or the signal, or close(). `begin` may
  // return its timer.
  #until<T>(limits: Limits, begin: (resolve: (value: T) => void,
    reject: (reason: unknown) => void) => NodeJS.Timeout | undefined,
  ): Promise<T> {
    const { signal } = limits;
    let timer: NodeJS.Timeout | undefined;
    let stop = (_reason: unknown): void => {};
    const aborted = () => stop(signal?.reason);
    return new Promise<T>((resolve, reject) => {
      stop = reject;
      this.#running.add(stop);
      signal?.addEventListener('abort', aborted);
      if (signal?.aborted) aborted();
      if (this.#closed) stop(isClosed());
      timer = begin(resolve, reject);
    }).finally(() => {
      clearTimeout(timer);
      this.#running.delete(stop);
      signal?.removeEventListener('abort', aborted);
    });
  }

  /** Registers what ends a call, until it is removed. */
  get running(): Set<(reason: unknown) => void> {
    return this.#running;
  }

  close(): void {
    this.#closed = true;
    for (const stop of [...this.#running]) stop(isClosed());
    this.#client.close();
  }
}

// Milliseconds to wait after a failed try; null: give up.
function delayAfter(error: unknown, made: number): number | null {
  if (!(error instanceof BvhmillError)) return null;
  const { code, reason, retryAfterMs } = error;
  const mayCome = ['UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'ABORTED'];
  if (retryAfterMs !== null && mayCome.includes(code)) {
    return retryAfterMs * (1 + Math.random());
  }
  if (code !== 'UNAVAILABLE' || reason === 'DATA_UNUSABLE') return null;
  return Math.min(5000, 100 * 2 ** made) * (0.5 + Math.random());
}

/** A call that runs: messages are written, and iterated over. */
export class Exchange<Request, Response> {
  readonly #connection: Connection;
  readonly #method: Method<Request, Response>;
  readonly #call: ClientDuplexStream<Buffer, Response>;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting = new Set<(reason: unknown) => void>();
  // Why the call is over.
  #over: { reason: unknown } | undefined;
  // True if it was ended here: what has arrived is not wanted.
  #cut = false;

  constructor(connection: Connection, method: Method<Request, Response>,
    call: ClientDuplexStream<Buffer, Response>,
    signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.#method = method;
    this.#call = call;
    this.#signal = signal;
    call.on('error', (error: Error | ServiceError) => this.#finish(
      'details' in error ? errorOfCall(error, connection.target) : error));
    connection.running.add(this.stop);
    signal?.addEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.stop(this.#signal?.reason);

  /** Ends the call at once, if it is not over; waiters get the reason. */
  readonly stop = (reason: unknown = isClosed()): void => {
    if (this.#over) return;
    this.#cut = true;
    this.#finish(reason);
    this.#call.cancel();
  };

  #finish(reason: unknown): void {
    if (this.#over) return;
    this.#over = { reason };
    this.#connection.running.delete(this.stop);
    this.#signal?.removeEventListener('abort', this.#abort);
    for (const reject of this.#waiting) reject(reason);
  }

  /** What the promise gives, or the error of the call if that comes first. */
  unlessOver<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#over) reject(this.#over.reason);
      this.#waiting.add(reject);
      promise.then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /** True if the call has ended, or was. */
  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Sends a message. Waits while the server takes no more. */
  async write(message: Request): Promise<void> {
    if (this.#over) throw this.#over.reason;
    // Encoded now: the caller may use the memory of its bytes again.
    if (this.#call.write(this.#method.requestSerialize(message))) return;
    await this.unlessOver(once(this.#call, 'drain'));
  }

  /** There are no more messages. */
  end(): void {
    this.#call.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Response, void> {
    try {
      for await (const message of this.#call) {
        if (this.#cut) throw this.#over?.reason;
        yield message as Response;
      }
    } catch (error) {
      throw this.#over ? this.#over.reason : error;
    }
    if (this.#cut) throw this.#over?.reason;
  }
}
