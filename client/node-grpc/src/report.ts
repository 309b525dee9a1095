// Reports and facts about clips, as docs/cli-json.md describes them.

import { severityToJSON } from './generated/bvhmill/v1/options.js';
import {
  type Issue as IssueMessage, type ValidationReport, Verdict as VerdictNumber,
  verdictToJSON,
} from './generated/bvhmill/v1/report.js';
import {
  type ClipInfo, type ClipMeasures, restPoseToJSON,
} from './generated/bvhmill/v1/result.js';

export type Verdict = 'VERDICT_VALID' | 'VERDICT_ACCEPTED' | 'VERDICT_INVALID' |
  'VERDICT_UNREADABLE';

export type Severity = 'SEVERITY_ERROR' | 'SEVERITY_WARNING' | 'SEVERITY_INFO' |
  'SEVERITY_HINT';

/** Where an issue is. Line and column count from 1, the others from 0. */
export interface Location {
  byte_offset: number | null;
  line: number | null;
  column: number | null;
  frame: number | null;
  joint: number | null;
  channel: number | null;
  joint_name: string | null;
  last_frame: number | null;
}

export interface Issue {
  code: string;
  severity: Severity;
  message: string;
  location: Location;
  occurrences: number;
  args: Record<string, string>;
}

/** What is wrong with a clip, before edits. */
export interface Report {
  verdict: Verdict;
  counts: { errors: number; warnings: number; infos: number; hints: number };
  issues: Issue[];
  truncated: boolean;
  rules_version: string;
  thresholds: { code: string; name: string; value: number }[];
}

export interface Joint {
  name: string;
  /** The index of the parent; -1 for a root. */
  parent: number;
  /** A letter for each channel: XYZ positions, xyz rotations, ijk scales. */
  channels: string;
  end_site: boolean;
  offset: [number, number, number];
}

/** A clip, after edits. */
export interface Info {
  frames: number;
  frames_per_second: number;
  frame_time_seconds: number;
  joint_count: number;
  joints: Joint[];
}

/** Facts about the motion before edits; null where a number is not known. */
export interface Measures {
  duration_seconds: number;
  depth: number;
  channel_count: number;
  extents: { min: number[]; max: number[] } | null;
  rest_pose: string;
  rest_size: number[];
  height: number | null;
  reach: number;
  root_path: number | null;
  root_speed: number | null;
  fastest: { speed: number; joint: number; frame: number } | null;
  loop_degrees: number | null;
  loop_distance: number | null;
  body_root: number | null;
  joints: { min: number[]; max: number[]; degrees: number }[];
}

/** The report of its message; null if the clip was not read. */
export function reportOf(message: ValidationReport | undefined): Report | null {
  const { verdict, counts } = message ?? {};
  if (!message || verdict === VerdictNumber.VERDICT_UNSPECIFIED) return null;
  return {
    verdict: verdictToJSON(message.verdict) as Verdict,
    counts: { errors: 0, warnings: 0, infos: 0, hints: 0, ...counts },
    issues: message.issues.map(issueOf),
    truncated: message.truncated,
    rules_version: message.rulesVersion,
    thresholds: message.thresholds,
  };
}

function issueOf(issue: IssueMessage): Issue {
  const at = issue.location;
  const joint = at?.joint ?? null;
  return {
    code: issue.code,
    severity: severityToJSON(issue.severity) as Severity,
    message: issue.message,
    location: {
      byte_offset: at?.byteOffset ?? null,
      line: at?.line ?? null,
      column: at?.column ?? null,
      frame: at?.frame ?? null,
      joint,
      channel: at?.channel ?? null,
      joint_name: joint === null ? null : at?.jointName ?? null,
      last_frame: at?.lastFrame ?? null,
    },
    occurrences: issue.occurrences,
    args: issue.args,
  };
}

/** The info of its message; null if the clip was not read. */
export function infoOf(message: ClipInfo | undefined): Info | null {
  if (!message) return null;
  return {
    frames: message.frames,
    frames_per_second: message.framesPerSecond,
    frame_time_seconds: message.frameTimeSeconds,
    joint_count: message.jointCount,
    joints: message.joints.map((joint) => ({
      name: joint.name,
      parent: joint.parent,
      channels: joint.channels,
      end_site: joint.endSite,
      offset: [...joint.offset, 0, 0, 0].slice(0, 3) as Joint['offset'],
    })),
  };
}

/** The measures of their message; null if none were made. */
export function measuresOf(message: ClipMeasures | undefined): Measures | null {
  if (!message) return null;
  return {
    duration_seconds: message.durationSeconds,
    depth: message.depth,
    channel_count: message.channelCount,
    extents: message.extents ?? null,
    rest_pose: restPoseToJSON(message.restPose),
    rest_size: message.restSize,
    height: message.height ?? null,
    reach: message.reach,
    root_path: message.rootPath ?? null,
    root_speed: message.rootSpeed ?? null,
    fastest: message.fastest ?? null,
    loop_degrees: message.loopDegrees ?? null,
    loop_distance: message.loopDistance ?? null,
    body_root: message.bodyRoot ?? null,
    joints: message.joints,
  };
}
