/**
 * How a job's sandbox hands over what it made: a length, a line of JSON, and the bytes of each part. All of
 * it is untrusted, and none of it is opened outside of a sandbox.
 */
import * as z from 'zod';

/** Why a job made nothing; the sentence is the platform's. */
export const jobFailure = z.enum([
  'refused',
  'no_repository',
  'no_ref',
  'redirected',
  'unreachable',
  'damaged',
  'too_large',
  'too_many_files',
  'bad_files',
  'broken_off',
  'no_tree',
  'out_of_memory',
  /** By whom is not known: that which takes more memory than it may is, too. */
  'killed',
  'git_failed',
]);
export type JobFailure = z.infer<typeof jobFailure>;

const size = z.int().min(0);
export const commitId = z.string().regex(/^[0-9a-f]{40}$/);

export const jobResult = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('failed'), why: jobFailure }),
  z.strictObject({ type: z.literal('fetched'), commit: commitId, packBytes: size, indexBytes: size }),
  z.strictObject({ type: z.literal('patch'), patchBytes: size }),
]);
export type JobResult = z.infer<typeof jobResult>;

/** What a sandbox is told to do, as its only argument. Holds no secret. */
export const jobOrder = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('fetch'),
    url: z.string(),
    ref: z.string(),
    caFile: z.string().nullable(),
    packBytes: size,
    treeBytes: size,
    files: size,
  }),
  z.strictObject({ type: z.literal('patch'), patchBytes: size, files: size }),
  /** Beside the agent, in its own sandbox: before its program starts, and after it ended. */
  z.strictObject({
    type: z.literal('agent'),
    changesBytes: size,
    command: z.array(z.string()).min(1),
  }),
]);
export type JobOrder = z.infer<typeof jobOrder>;

/** The variable of the job that fetches, with the host's credential. */
export const credentialName = 'REPOSITORY_CREDENTIAL';

export const jobSockets = { directory: '/run/platform/mcp', egress: 'egress.sock', result: 'result.sock' };
export const egressPort = 4874;

/** Where the sandbox of a patch sees what the agent handed over. */
export const changesInside = '/opt/changes';
/** Where the agent's sandbox sees the socket that takes it. */
export const takerInside = '/run/platform-repository';
/** There, for as long as the agent may run. */
export const endSocket = 'changes.sock';
/** There, while somebody waits for what has changed so far. */
export const soFarSocket = 'so-far.sock';

/** Each character stands for one byte: another one would be cut to a byte that no check has seen. */
const bytesOfPath = z
  .string()
  .min(1)
  .refine((path) => !path.includes('\0') && Buffer.from(path, 'latin1').toString('latin1') === path);

/** One path that differs from the base, in the order: what is gone, files, links. */
export const changeRecord = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('gone'), path: bytesOfPath }),
  z.strictObject({ type: z.literal('file'), path: bytesOfPath, sizeBytes: size, isExecutable: z.boolean() }),
  z.strictObject({ type: z.literal('link'), path: bytesOfPath, target: bytesOfPath }),
  z.strictObject({ type: z.literal('end') }),
  z.strictObject({ type: z.literal('too_large') }),
  /** The agent was not started: its files could not be written out. */
  z.strictObject({ type: z.literal('no_tree') }),
]);
export type ChangeRecord = z.infer<typeof changeRecord>;

export const maxRecordBytes = 16 * 1024;

export function encodeRecord(record: JobResult | ChangeRecord): Buffer {
  const text = Buffer.from(JSON.stringify(record));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text]);
}
