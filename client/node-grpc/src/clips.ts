// The stream ConvertClips: one clip over a call of its own.

import {
  Assembler, type Block, type Ended, FrameCutter,
} from './arrays.js';
import type { Connection, Exchange, Limits } from './call.js';
import { brokenAnswer, errorOfStatus } from './errors.js';
import {
  ClipServiceService, type ConvertClipsRequest, type ConvertClipsResponse,
} from './generated/bvhmill/v1/clip_service.js';
import type { ConvertOptions } from './generated/bvhmill/v1/options.js';
import { type Info, infoOf, reportOf } from './report.js';
import type { Clip, Pieces } from './source.js';

export type ClipExchange = Exchange<ConvertClipsRequest, ConvertClipsResponse>;

/** Sends the options of all clips. */
export async function sendOpen(exchange: ClipExchange, options: ConvertOptions,
  ordered: boolean): Promise<void> {
  await exchange.write({ frame: {
    $case: 'open', value: { options, ordered, reportIssuesEarly: false },
  } });
}

/** Sends one clip. A clip that cannot be read is abandoned; throws why. */
export async function sendClip(exchange: ClipExchange, key: string, clip: Clip,
  pieces: Pieces): Promise<void> {
  await exchange.write({ frame: { $case: 'begin', value: {
    key, source: clip.message, options: undefined, complete: false,
  } } });
  let fault: { error: unknown } | undefined;
  try {
    for (;;) {
      const chunk = await exchange.unlessOver(pieces.next());
      if (chunk === null) break;
      await exchange.write({ frame: { $case: 'chunk', value: chunk } });
    }
  } catch (error) {
    fault = { error };
  }
  await exchange.write({ frame: {
    $case: 'end', value: { abandon: fault !== undefined },
  } });
  if (fault) throw fault.error;
}

/** The responses to one clip. The source is read while they come. */
export async function* responsesTo(connection: Connection, clip: Clip,
  options: ConvertOptions, chunkBytes: number,
  limits: Limits): AsyncGenerator<ConvertClipsResponse, void> {
  const exchange = connection.begin(ClipServiceService.convertClips, limits);
  const pieces = clip.pieces(chunkBytes);
  const send = async () => {
    await sendOpen(exchange, options, false);
    await sendClip(exchange, '0', clip, pieces);
    exchange.end();
  };
  const sending = send().catch(exchange.stop);
  try {
    yield* exchange;
  } finally {
    exchange.stop();
    pieces.destroy();
    await sending;
  }
}

/** One clip, with the bytes of its outputs. */
export async function converted(connection: Connection, clip: Clip,
  options: ConvertOptions, chunkBytes: number, limits: Limits): Promise<Ended> {
  const assembler = new Assembler();
  let ended: Ended | undefined;
  for await (const response of responsesTo(
    connection, clip, options, chunkBytes, limits)) {
    ended = assembler.feed(response) ?? ended;
  }
  if (!ended) throw brokenAnswer('a clip without a result');
  return ended;
}

/** The blocks of one clip, in the order in which they are made. */
export async function* blocksOf(connection: Connection, clip: Clip,
  options: ConvertOptions, chunkBytes: number,
  limits: Limits): AsyncGenerator<Block, void> {
  let info: Info | null = null;
  let cutters: FrameCutter[] = [];
  // The last block waits for the result, which has the report.
  let last: Block | undefined;
  let isGood = false;
  for await (const { frame } of responsesTo(
    connection, clip, options, chunkBytes, limits)) {
    if (frame?.$case === 'begin') {
      info = infoOf(frame.value.info);
      cutters = frame.value.outputs.map((output) => new FrameCutter(output));
    } else if (frame?.$case === 'outputChunk') {
      const { outputIndex, offset, data } = frame.value;
      const cutter = cutters[outputIndex];
      if (!cutter || !info) throw brokenAnswer('a chunk of no output');
      const block = cutter.add(offset, data, info);
      if (!block) continue;
      if (last) yield last;
      last = block;
    } else if (frame?.$case === 'result') {
      const result = frame.value;
      const report = reportOf(result.report);
      const status = [result.status, ...result.outputs.map((o) => o.status)];
      const error = status.map((one) => errorOfStatus(one, clip.name, report))
        .find((one) => one !== null);
      if (error) throw error;
      if (!info || !cutters.every((cutter) => cutter.isWhole)) {
        throw brokenAnswer('an output that is cut off');
      }
      last ??= cutters[0]!.empty(info);
      yield { ...last, report };
      isGood = true;
    }
  }
  if (!isGood) throw brokenAnswer('a clip without a result');
}

