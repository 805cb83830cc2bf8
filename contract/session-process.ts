/**
 * The processes of a session as the platform knows them: their state, how they ended and
 * what they wrote to stderr.
 */
import * as z from 'zod';
import { answerFault, answerFaultCount } from './answer-fault.ts';
import { chosenId, entryName, maxStoredInteger, timestamp } from './names.ts';
import { maxOutputBytes } from './process-reports.ts';

export const processKind = z.enum(['agent', 'server', 'sibling']);
export type ProcessKind = z.infer<typeof processKind>;

/**
 * `ready`: a server answered its first request; an agent or sibling runs, and a sibling whose readiness is
 * asked for is ready. `failed`: it did not get that far.
 * `ended`: it was ready, and its process has ended.
 */
export const processState = z.enum(['not_started', 'starting', 'ready', 'failed', 'ended']);
export type ProcessState = z.infer<typeof processState>;

/**
 * Why a server or sibling does not work, going on from its name: a closed list, which never
 * includes anything that it wrote.
 */
export const causeText = {
  container_not_running: 'is not running',
  program_not_found: 'did not start: its program was not found',
  program_not_executable: 'did not start: its program cannot be executed',
  exited: 'ended before it answered its first request',
  packages_need_network: 'did not start: its package manager has no network to load packages from',
  packages_not_loaded: 'did not start: the platform could not load its packages',
  package_not_found: 'did not start: its registry has no such package, or not that version',
  registry_unreachable: 'did not start: its package manager got nothing from its registry',
  network_unreachable: 'did not start: it could not reach the network',
  handshake_timeout: 'did not answer its first request in time',
  unreadable_answer: 'answered its first request with what is no message of the protocol',
  not_ready_in_time: 'was not ready in time',
} as const;
export type FailureCause = keyof typeof causeText;
export const failureCause = z.enum(Object.keys(causeText) as FailureCause[]);

/** The same of a sibling whose limit is known. */
export const notReadyWithin = (limitSeconds: number) => `was not ready within ${limitSeconds} seconds`;

/** What replaces a server's own output when the platform could not load its packages, by the cause. */
export const packagesNotLoaded = {
  registry_unreachable: 'The platform got no packages from the registry',
  package_not_found: 'The platform found no such packages in the registry',
  packages_not_loaded: 'The platform could not load the packages',
} as const;
export const packagesCauses = ['registry_unreachable', 'package_not_found', 'packages_not_loaded'] as const;
export type PackagesCause = (typeof packagesCauses)[number];

export const exitCode = z.int().min(0).max(255);
/** Such as SIGKILL. */
export const signalName = z.string().regex(/^SIG[A-Z0-9]{1,12}$/);

const facts = {
  kind: processKind,
  name: entryName,
  state: processState,
  /** Of its last end; both null when none is known. */
  exit_code: exitCode.nullable(),
  signal: signalName.nullable(),
  /**
   * Of a server that failed, or of a sibling that was not ready in time; how the platform
   * then ended that is left out.
   */
  cause: failureCause.nullable(),
  /** From the first byte to a server until its first answer. */
  handshake_ms: z.int().min(0).max(maxStoredInteger).nullable(),
};

/** One process in a list. */
export const sessionProcess = z.strictObject({
  ...facts,
  /** How often it was started. */
  starts: z.int().min(0),
  /** Of a sibling that the agent waits for: within how many seconds it has to be ready. */
  ready_limit_seconds: z.int().positive().nullable(),
  updated_at: timestamp.nullable(),
  /** Of the output that is kept; null when there is none. */
  output_size_bytes: z.int().min(0).nullable(),
  /** Answers of a server that did not reach its agent, since its sidecar started, by reason. */
  faults: z.array(answerFaultCount),
});
export type SessionProcess = z.infer<typeof sessionProcess>;

/**
 * What one process wrote to stderr, with the values of its secret variables redacted.
 * It is the process's claim.
 */
export const processOutput = z.strictObject({
  text: z.string(),
  size_bytes: z.int().min(0),
  /** All that it wrote, of which `text` is the end. */
  written_bytes: z.int().min(0),
  updated_at: timestamp,
});
export type ProcessOutput = z.infer<typeof processOutput>;

/**
 * `POST /internal/sessions/{id}/processes`: the state of one process. A later report of the same
 * sidecar has a higher `revision`; `sidecar_run` distinguishes a restarted sidecar, which counts from
 * zero, from its predecessor.
 */
export const processReport = z.strictObject({
  ...facts,
  sidecar_run: chosenId,
  revision: z.int().positive().max(maxStoredInteger),
  starts: z.int().min(0).max(1_000_000_000),
  /** Absent without any. */
  faults: z.array(answerFaultCount).min(1).max(answerFault.options.length).optional(),
  /** Absent when unchanged since the last report. */
  output: z
    .strictObject({
      base64: z.base64().max(Math.ceil(maxOutputBytes / 3) * 4),
      written_bytes: z.int().min(0),
    })
    .optional(),
});
export type ProcessReport = z.infer<typeof processReport>;

/** A line on a process's report socket, from whatever started it: a claim about that process and no other. */
export const processClaim = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('started') }),
  /** Of a sibling whose readiness is asked for. */
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('not_started'), error: z.string().regex(/^[A-Z0-9]{1,20}$/) }),
  z.strictObject({
    type: z.literal('ended'),
    exit_code: exitCode.nullable(),
    signal: signalName.nullable(),
  }),
  z.strictObject({
    type: z.literal('output'),
    base64: z.base64(),
    /** Bytes written since the last line but omitted, because they were more than could be sent. */
    skipped_bytes: z.int().min(0).default(0),
  }),
]);
export type ProcessClaim = z.infer<typeof processClaim>;
