// A take: one file that was chosen, and what the engine says about it. The
// shapes of reports are those of docs/cli-json.md.

export interface Joint {
  name: string;
  parent: number;
  channels: string;
  end_site: boolean;
  offset: [number, number, number];
}

export interface Info {
  frames: number;
  frames_per_second: number;
  frame_time_seconds: number;
  joint_count: number;
  joints: Joint[];
}

export interface Issue {
  code: string;
  severity: string;
  message: string;
  location: {
    byte_offset: number | null;
    line: number | null;
    column: number | null;
    frame: number | null;
    joint: number | null;
    channel: number | null;
    joint_name: string | null;
    last_frame: number | null;
  };
  occurrences: number;
  args: Record<string, string>;
}

export interface Report {
  verdict: string;
  counts: { errors: number; warnings: number; infos: number; hints: number };
  issues: Issue[];
  truncated: boolean;
}

export interface Measures {
  duration_seconds: number;
  height: number | null;
  reach: number;
  root_speed: number | null;
  body_root: number | null;
}

export interface Output {
  id: string;
  media_type: string;
  shape: number[] | null;
  status: { code: string; message: string };
  data: Float32Array | Uint8Array | null;
}

export interface Result {
  status: { code: string; message: string; reason: string };
  report: Report;
  info: Info;
  measures: Measures | null;
  outputs: Record<string, Output>;
}

export interface CatalogueEntry {
  code: string;
  severity: string;
  severity_strict: string;
  title: string;
  message: string;
  help: string;
}

export type Severity = 'error' | 'warning' | 'info' | 'hint';

// Options that describe the clip, by the keys of docs/options.md.
export interface TakeOptions {
  up?: 'x' | 'y' | 'z';
  units?: string;
  body_root?: string;
}

export interface Take {
  id: number;
  name: string;
  // With the folders that were dropped.
  path: string;
  file: Blob;
  state: 'waiting' | 'reading' | 'done' | 'failed';
  // The reason if the state is 'failed'.
  error: string;
  options: TakeOptions;
  result: Result | null;
  // The joints and the first pose, for the still picture.
  joints: Joint[];
  pose: Float32Array | null;
}

let takes = 0;

export function makeTake(file: Blob, path: string): Take {
  return {
    id: ++takes, name: path.slice(path.lastIndexOf('/') + 1), path, file,
    state: 'waiting', error: '', options: {}, result: null, joints: [],
    pose: null,
  };
}

export function severityOf(issue: Issue): Severity {
  return issue.severity.replace('SEVERITY_', '').toLowerCase() as Severity;
}

// The frames at which an issue is: pairs of the first and the last one.
export function framesOf(issue: Issue): [number, number][] {
  const { frame, last_frame: last } = issue.location;
  if (frame === null) return [];
  const more = /^\d+(, \d+)*$/.test(issue.args.at ?? '')
      ? issue.args.at.split(', ').map(Number) : [];
  const spans: [number, number][] = [[frame, last ?? frame]];
  for (const at of more) if (at !== frame) spans.push([at, at]);
  return spans;
}

// The word for a verdict.
export function verdictOf(take: Take): string {
  if (take.state === 'failed') return 'unreadable';
  if (take.result === null) return take.state;
  return take.result.report.verdict.replace('VERDICT_', '').toLowerCase();
}
