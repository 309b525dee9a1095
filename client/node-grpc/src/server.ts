// Facts about a server: its version, limits and formats.

import type { Connection, Limits } from './call.js';
import {
  ServerServiceService,
} from './generated/bvhmill/v1/server_service.js';
import {
  contentEncodingToJSON, sourceFormatToJSON,
} from './generated/bvhmill/v1/clip_service.js';

/** Facts about a server, as `bvhmill server-info --json` prints them. */
export interface ServerInfo {
  server_version: string;
  api_packages: string[];
  rules_version: string;
  /** Limits by name: docs/api.md, section 7. 0: no limit. */
  limits: Record<string, number>;
  formats: { format: string; media_type: string; file_extension: string }[];
  encodings: string[];
  joint_maps: string[];
  build: { git_commit: string; compiler: string; worker_threads: number };
  source_formats: {
    format: string; name: string; media_type: string; file_extension: string;
  }[];
}

const CHUNK_BYTES = 256 << 10;
// More than the fields around a chunk take.
const CHUNK_FIELDS_BYTES = 64;

/** Asks a server for its facts, once. */
export class Server {
  #info: ServerInfo | undefined;

  constructor(private readonly connection: Connection) {}

  async info(limits: Limits): Promise<ServerInfo> {
    this.#info ??= await this.connection.retried(limits, async () => infoOf(
      await this.connection.unary(
        ServerServiceService.getServerInfo, {}, limits)));
    return this.#info;
  }

  /** A good size for chunks of a source. */
  async chunkBytes(limits: Limits): Promise<number> {
    const {
      recommended_chunk_bytes: chunk, max_request_message_bytes: message,
    } = (await this.info(limits)).limits;
    const most = message ? message - CHUNK_FIELDS_BYTES : Infinity;
    return Math.max(1, Math.min(chunk || CHUNK_BYTES, most));
  }
}

type Message = ReturnType<
  typeof ServerServiceService.getServerInfo.responseDeserialize>;

function infoOf(message: Message): ServerInfo {
  return {
    server_version: message.serverVersion,
    api_packages: message.apiPackages,
    rules_version: message.rulesVersion,
    limits: Object.fromEntries(Object.entries(message.limits ?? {}).map(
      ([name, value]) => [snake(name), value])),
    formats: message.formats.map((one) => ({
      format: one.format, media_type: one.mediaType,
      file_extension: one.fileExtension,
    })),
    encodings: message.encodings.map(contentEncodingToJSON),
    joint_maps: message.jointMaps,
    build: {
      git_commit: message.build?.gitCommit ?? '',
      compiler: message.build?.compiler ?? '',
      worker_threads: message.build?.workerThreads ?? 0,
    },
    source_formats: message.sourceFormats.map((one) => ({
      format: sourceFormatToJSON(one.format), name: one.name,
      media_type: one.mediaType, file_extension: one.fileExtension,
    })),
  };
}

// maxClipBytes as max_clip_bytes.
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
