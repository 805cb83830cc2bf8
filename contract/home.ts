/**
 * What the first page of a workspace and Insights show to one person: of sessions those that the list shows
 * them, a few of each kind, and counts that stop.
 */
import * as z from 'zod';
import type { CallOutcome } from './audit-event.ts';
import { requestableGrantType } from './grant.ts';
import { entryName, named, timestamp, uuid } from './names.ts';
import { sessionStatus, sessionWait } from './session.ts';

/** The first few, and how many there are: `homeBounds.counted` means that or more. */
const part = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ first: z.array(row), count: z.int().min(0) });

const sessionOfHome = z.strictObject({
  id: uuid,
  /** The first line of its prompt. */
  title: z.string(),
  agent: named,
});
export type SessionOfHome = z.infer<typeof sessionOfHome>;

/** A permission request that the person may decide. */
const neededDecision = z.strictObject({
  id: uuid,
  session: sessionOfHome,
  grant_type: requestableGrantType,
  /** The scope, or the name of the agent that it asks to start. */
  matter: z.string(),
  /** The call that was refused. */
  tool: z.strictObject({ server: z.string(), name: z.string() }).nullable(),
  created_at: timestamp,
  expires_at: timestamp,
});

/** A remote server that the person has to sign in to, so that a session of theirs goes on. */
const neededSignIn = z.strictObject({
  id: uuid,
  mcp_server: entryName,
  session: sessionOfHome,
  /** The server asked for more in the middle of a call. */
  is_for_more: z.boolean(),
  created_at: timestamp,
});
export type NeededSignIn = z.infer<typeof neededSignIn>;

/** A session of the person's whose agent asked something; `asked_at`: the oldest open question. */
const neededAnswer = z.strictObject({ session: sessionOfHome, asked_at: timestamp });
export type NeededAnswer = z.infer<typeof neededAnswer>;

/** A catalog entry whose tools are new or changed. */
const neededAcceptance = z.strictObject({
  mcp_server: entryName,
  version: z.int(),
  /** How many of its tools. */
  waiting: z.int(),
  first_seen_at: timestamp,
});

const runningSession = sessionOfHome.extend({
  status: sessionStatus,
  waiting_for: sessionWait.nullable(),
  created_at: timestamp,
});
export type RunningSession = z.infer<typeof runningSession>;

const failedSession = sessionOfHome.extend({
  reason: z.string().nullable(),
  ended_at: timestamp,
  /** Whether the person may start the same again. */
  may_run_again: z.boolean(),
});
export type FailedSession = z.infer<typeof failedSession>;

const day = z.iso.date();
const count = z.int().min(0);

/** Sessions that began on a day, by their state now. */
const sessionsOfDay = z.strictObject({
  day,
  completed: count,
  failed: count,
  terminated: count,
  unfinished: count,
});
export type SessionsOfDay = z.infer<typeof sessionsOfDay>;

/** Permission requests that were made on a day. */
const requestsOfDay = z.strictObject({
  day,
  approved: count,
  denied: count,
  expired: count,
  cancelled: count,
  open: count,
});
export type RequestsOfDay = z.infer<typeof requestsOfDay>;

/** Tool calls that began on a day, by their outcome. */
const callsOfDay = z.strictObject({
  day,
  ...({
    ok: count,
    tool_error: count,
    protocol_error: count,
    permission_required: count,
    waiting: count,
    refused: count,
    server_unavailable: count,
    cancelled: count,
    unknown: count,
  } satisfies Record<CallOutcome, typeof count>),
});
export type CallsOfDay = z.infer<typeof callsOfDay>;

/** What the last days of a workspace come to, of the sessions that the list shows to one person. */
export const workspaceInsights = z.strictObject({
  /** The beginning of the first day. */
  from: timestamp,
  /** The oldest first; requests by the day on which they were made. */
  requests: z.array(requestsOfDay),
  calls: z.array(callsOfDay),
  /** From a request to its decision; null where there was none. */
  median_decision_seconds: z.number().min(0).nullable(),
  /** The tokens that models took on as many days of UTC, by agent and endpoint, most first. */
  model_tokens: z.strictObject({
    total: count,
    uses: z.array(z.strictObject({ agent: named, endpoint: z.string(), used_tokens: count })),
  }),
  /** There were more requests or calls than are counted (`homeBounds`): the newest are. */
  is_partial: z.boolean(),
});
export type WorkspaceInsights = z.infer<typeof workspaceInsights>;

/** What a new workspace needs; null where the person may not know. */
export const workspaceSetup = z.strictObject({
  server: z.boolean(),
  gate: z.boolean(),
  agent: z.boolean(),
  /** That the person may see. */
  session: z.boolean(),
  channel: z.boolean().nullable(),
  /** More than one member. */
  people: z.boolean(),
});
export type WorkspaceSetup = z.infer<typeof workspaceSetup>;

export const workspaceHome = z.strictObject({
  needs: z.strictObject({
    decisions: part(neededDecision),
    sign_ins: part(neededSignIn),
    answers: part(neededAnswer),
    /** Nothing for who may not accept them. */
    changed_tools: part(neededAcceptance),
  }),
  running: part(runningSession),
  /** Within the last 24 hours, the last one first. */
  failed: part(failedSession),
  /**
   * The last seven days, the oldest first, by the day of the beginning. `is_partial`: there were more than
   * are counted (`homeBounds`), and the newest are.
   */
  week: z.strictObject({
    sessions: z.array(sessionsOfDay),
    requests: z.array(requestsOfDay),
    is_partial: z.boolean(),
  }),
  /** The soonest ones. */
  next_runs: z.array(z.strictObject({ schedule: named, at: timestamp })),
  setup: workspaceSetup,
  /** Why the person cannot add the example here; null when they can. */
  example_refusal: z.string().nullable(),
});
export type WorkspaceHome = z.infer<typeof workspaceHome>;
