// Errors: of calls, of clips, and of options.

import { type ServiceError, status as codes } from '@grpc/grpc-js';

import {
  BadRequest, ErrorInfo, RetryInfo, RpcStatus, type Status,
} from './generated/bvhmill/v1/status.js';
import { optionOfField } from './option_fields.js';
import type { Report } from './report.js';

/** The name of a gRPC status, such as 'UNAVAILABLE'. */
export type Code = Exclude<keyof typeof codes, 'OK'>;

export interface ErrorParts {
  code: Code;
  message: string;
  reason?: string;
  field?: string;
  metadata?: Record<string, string>;
  report?: Report | null;
  retryAfterMs?: number | null;
  cause?: unknown;
}

/** A call, a clip or an option that failed. */
export class BvhmillError extends Error {
  override readonly name = 'BvhmillError';
  /** The name of the gRPC status. */
  readonly code: Code;
  /** The reason of docs/api.md or the code of docs/issues.md; '' if none. */
  readonly reason: string;
  /** The option at fault, or the field of the API; '' if none. */
  readonly field: string;
  /** The variable parts of the message: line, column, joint, limit_name... */
  readonly metadata: Readonly<Record<string, string>>;
  /** The report of the clip, if the clip is at fault and was read. */
  readonly report: Report | null;
  /** How long to wait before the next try; null if the server does not say. */
  readonly retryAfterMs: number | null;

  constructor(parts: ErrorParts) {
    super(parts.message,
      parts.cause === undefined ? {} : { cause: parts.cause });
    this.code = parts.code;
    this.reason = parts.reason ?? '';
    this.field = parts.field ?? '';
    this.metadata = parts.metadata ?? {};
    this.report = parts.report ?? null;
    this.retryAfterMs = parts.retryAfterMs ?? null;
  }
}

// Characters that a terminal obeys, or that hide others.
const HIDDEN = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]', 'g');

/** A text of a peer as one line for people. */
export function printable(text: string): string {
  return text.replace(HIDDEN, (found) => [...Buffer.from(found)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''));
}

// The text of an error of the API, with the names of options.
function inOptions(text: string): string {
  return printable(text).replace(/options\.[a-z_.[\]0-9]*[a-z]/g,
    optionOfField);
}

/** The error of an option that is wrong. */
export function wrongOption(field: string, why: string): BvhmillError {
  return new BvhmillError({
    code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID', field,
    message: `${field}: ${why}`,
  });
}

/** The error of a server that breaks the protocol. */
export function brokenAnswer(what: string): BvhmillError {
  return new BvhmillError({
    code: 'INTERNAL', message: `the server's answer is broken: ${what}`,
  });
}

function codeOf(number: number): Code {
  return (codes[number] ?? 'UNKNOWN') as Code;
}

/** The error of a failed call, with its details. */
export function errorOfCall(error: ServiceError, target: string): BvhmillError {
  const parts: ErrorParts = {
    code: codeOf(error.code), message: inOptions(error.details), cause: error,
  };
  for (const detail of detailsOf(error)) addDetail(parts, detail);
  if (parts.code === 'UNAVAILABLE' && !parts.reason) {
    parts.message = `cannot reach ${target}: ${parts.message}`;
  }
  return new BvhmillError(parts);
}

interface Detail { typeUrl: string; value: Uint8Array }

function detailsOf(error: ServiceError): Detail[] {
  const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
  if (!(bytes instanceof Uint8Array)) return [];
  try {
    return RpcStatus.decode(bytes).details;
  } catch {
    return []; // Those of a proxy; code and message are known.
  }
}

function addDetail(parts: ErrorParts, { typeUrl, value }: Detail): void {
  if (typeUrl.endsWith('/google.rpc.ErrorInfo')) {
    const { reason, metadata } = ErrorInfo.decode(value);
    parts.reason = reason;
    parts.metadata = metadata;
    parts.field ||= optionOfField(metadata.field ?? '');
  } else if (typeUrl.endsWith('/google.rpc.BadRequest')) {
    const [first] = BadRequest.decode(value).fieldViolations;
    if (first) parts.field = optionOfField(first.field);
  } else if (typeUrl.endsWith('/google.rpc.RetryInfo')) {
    const { seconds = 0, nanos = 0 } = RetryInfo.decode(value).retryDelay ?? {};
    parts.retryAfterMs = delayOf(seconds * 1000 + nanos / 1e6);
  }
}

// A server cannot stop a client for ever.
function delayOf(milliseconds: number): number {
  return Math.min(Math.max(0, milliseconds), 60_000);
}

/** The error of a clip, an output or a job; null if its status is OK. */
export function errorOfStatus(status: Status | undefined, name: string,
  report: Report | null): BvhmillError | null {
  if (status === undefined || status.code === 0) return null;
  const { retry_after_ms: retry, ...metadata } = status.info?.metadata ?? {};
  const place = /^\d+:/.test(status.message) ? '' : ' ';
  return new BvhmillError({
    code: codeOf(status.code),
    message: `${printable(name)}:${place}${inOptions(status.message)}`,
    reason: status.info?.reason ?? '',
    field: optionOfField(metadata.field ?? ''),
    metadata, report,
    retryAfterMs: retry === undefined ? null : delayOf(Number(retry)),
  });
}
