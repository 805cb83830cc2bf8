/** Schedules: when an agent runs by itself, and for whom (docs/schedules.md). */
import * as z from 'zod';
import { parseCron, shortestGapSeconds } from './cron.ts';
import { named, timestamp, uuid } from './names.ts';
import { sessionStatus } from './session.ts';
import { shownName } from './shown-name.ts';

const day = 24 * 3600;
export const scheduleBounds = {
  /** No schedule waits longer between two runs; a cron expression may. */
  longestIntervalSeconds: 366 * day,
  catchUpSeconds: { least: 60, most: 7 * day, usual: 600 },
  requestExpirySeconds: { least: 60, most: 7 * day, usual: day },
} as const;

/** Every time the expression names, in the schedule's time zone. */
const cronSpec = z.strictObject({
  kind: z.literal('cron'),
  expression: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .superRefine((text, context) => {
      const { problem } = parseCron(text);
      if (problem !== null) {
        context.addIssue({ code: 'custom', message: problem });
      }
    }),
});
/** Every so many seconds, counted from the start of 1970 in UTC. */
const intervalSpec = z.strictObject({
  kind: z.literal('interval'),
  every_seconds: z.int().min(1).max(scheduleBounds.longestIntervalSeconds),
});
export const scheduleSpec = z.discriminatedUnion('kind', [cronSpec, intervalSpec]);
export type ScheduleSpec = z.infer<typeof scheduleSpec>;

/** The shortest time between two runs. */
export function shortestSeconds(spec: ScheduleSpec): number {
  if (spec.kind === 'interval') {
    return spec.every_seconds;
  }
  const { times } = parseCron(spec.expression);
  return times === null ? 0 : shortestGapSeconds(times);
}

/** Zones that were renamed, by the names that this runtime still has for them. */
const newNames: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Louisville': 'America/Kentucky/Louisville',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/**
 * The zone as the time zone database writes it, by the name that was given where it has several, or null.
 * Offsets such as `+02:00` are none: they know no summer time.
 */
export function knownTimeZone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) {
    return null;
  }
  try {
    const found = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    const isOwnName = found.toLowerCase() === name.toLowerCase();
    return isOwnName || !Object.hasOwn(newNames, found) ? found : (newNames[found] ?? found);
  } catch {
    return null;
  }
}

const timeZone = z
  .string()
  .max(100)
  .transform((name, context) => {
    const known = knownTimeZone(name);
    if (known === null) {
      context.addIssue({
        code: 'custom',
        message: 'must be a time zone of the IANA database, such as Europe/Berlin or UTC',
      });
      return z.NEVER;
    }
    return known;
  });

/** What happens when it is time and the session of the run before has not ended. */
export const overlapPolicy = z.enum([
  /** There is no run. */
  'skip',
  /** One run waits for the end; more are left out. */
  'buffer_one',
  /** The running session is terminated first. */
  'cancel_other',
  /** It starts beside it. */
  'allow_all',
]);
export type OverlapPolicy = z.infer<typeof overlapPolicy>;

const seconds = ({ least, most }: { least: number; most: number }) => z.int().min(least).max(most);

/** What its maker decides. */
const decided = {
  agent_id: uuid,
  name: shownName,
  spec: scheduleSpec,
  time_zone: timeZone,
  prompt: z.string().max(256 * 1024),
  overlap: overlapPolicy,
  catch_up_window_seconds: seconds(scheduleBounds.catchUpSeconds),
  request_expiry_seconds: seconds(scheduleBounds.requestExpirySeconds),
};

export const scheduleInput = z.strictObject({
  ...decided,
  time_zone: decided.time_zone.default('UTC'),
  overlap: decided.overlap.default('skip'),
  catch_up_window_seconds: decided.catch_up_window_seconds.default(scheduleBounds.catchUpSeconds.usual),
  request_expiry_seconds: decided.request_expiry_seconds.default(scheduleBounds.requestExpirySeconds.usual),
});
export type ScheduleInput = z.infer<typeof scheduleInput>;

/** Only what is given changes. */
export const schedulePatch = z.strictObject(decided).partial();
export type SchedulePatch = z.infer<typeof schedulePatch>;

/** Who or what paused it: all but `person` are the platform's own. */
export const pauseReason = z.enum([
  'person',
  'maker_left',
  'agent_removed',
  'agent_archived',
  'workspace_closed',
]);
export type PauseReason = z.infer<typeof pauseReason>;

export const maxPauseNoteLength = 500;

export const schedule = z.strictObject({
  id: uuid,
  workspace_id: uuid,
  /** Null once the agent was removed. */
  agent_id: uuid.nullable(),
  /**
   * Whose quotas its sessions count against, and who reads and ends them; null once the person was deleted.
   */
  maker_id: uuid.nullable(),
  name: z.string(),
  spec: scheduleSpec,
  time_zone: z.string(),
  prompt: z.string(),
  overlap: overlapPolicy,
  catch_up_window_seconds: z.int(),
  request_expiry_seconds: z.int(),
  /** Null while it runs. */
  paused_at: timestamp.nullable(),
  pause_reason: pauseReason.nullable(),
  /** What the person who paused it wrote. */
  pause_note: z.string().nullable(),
  /** Counts the changes. */
  version: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Schedule = z.infer<typeof schedule>;

/** How a run began. Anything but `started` made no session. */
export const runOutcome = z.enum([
  'started',
  'paused',
  'maker_left',
  'agent_removed',
  'agent_archived',
  'workspace_closed',
  'limit_reached',
  /** Beyond the catch-up window: no worker ran. */
  'too_late',
  'repeated',
]);
export type RunOutcome = z.infer<typeof runOutcome>;

/** One time that came: with the session that it started, or why there is none. */
export const scheduleRun = z.strictObject({
  id: uuid,
  scheduled_at: timestamp,
  created_at: timestamp,
  outcome: runOutcome,
  /** Names the limit that was reached; null otherwise. */
  detail: z.string().nullable(),
  /** Null where none was started, and once it was removed with its agent. */
  session_id: uuid.nullable(),
});
export type ScheduleRun = z.infer<typeof scheduleRun>;

export const shownRun = scheduleRun.extend({
  /** Who had it run beside its times; null for one of them. */
  requested_by: named.nullable(),
  session_status: sessionStatus.nullable(),
  /** Why the session has its status, for those who may read it. */
  session_status_reason: z.string().nullable(),
});

/** As Temporal sees it. */
export const scheduleOutlook = z.strictObject({
  /** The next ones, soonest first; none while it is paused. */
  next_times: z.array(timestamp),
  /**
   * Since it was set up: times without a run because the one before still went on, and those that
   * came too late to catch up.
   */
  skipped_for_overlap: z.int(),
  missed: z.int(),
});
export type ScheduleOutlook = z.infer<typeof scheduleOutlook>;

export const shownSchedule = schedule.extend({
  agent: named.nullable(),
  maker: named.nullable(),
  /** Null for members who may not change it: it may hold what is not for everybody. */
  prompt: z.string().nullable(),
  pause_note: z.string().nullable(),
  /** Whether the caller may change, pause, run and remove it, and read its runs. */
  may_change: z.boolean(),
});
export type ShownSchedule = z.infer<typeof shownSchedule>;
