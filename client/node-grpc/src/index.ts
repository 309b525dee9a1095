export { Bvhmill } from './client.js';
export { BvhmillError } from './errors.js';
export type {
  BvhmillOptions, ConvertCallOptions, ManyOptions, TakeOptions, Validation,
  ValidateOptions,
} from './client.js';
export type {
  ArrayName, Block, Conversion, File, Output, Take, Tensor,
} from './arrays.js';
export type { CallOptions, Tls } from './call.js';
export type { Code } from './errors.js';
export type {
  Job, JobOptions, JobOutcome, JobSources, JobState, Jobs, ListOptions,
  ResultOptions, Submission, WaitOptions,
} from './jobs.js';
export type { Outcome, Sources } from './many.js';
export type {
  AnimConstraint, AnimVector, Emit, Format, Options,
} from './options.js';
export type {
  Info, Issue, Joint, Location, Measures, Report, Severity, Verdict,
} from './report.js';
export type { ServerInfo } from './server.js';
export type { Source, SourceOptions } from './source.js';
