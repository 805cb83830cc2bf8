/**
 * Temporal's copies of schedules. The rows in Postgres are the truth; a copy says in its note which
 * version of the row it follows.
 */
import {
  type CalendarSpec,
  ScheduleAlreadyRunning,
  type ScheduleClient,
  ScheduleNotFoundError,
  type ScheduleOptions,
  type ScheduleOverlapPolicy,
  type ScheduleSpec as TemporalSpec,
} from '@temporalio/client';
import { type CronTimes, parseCron } from '../contract/cron.ts';
import type { OverlapPolicy, Schedule, ScheduleOutlook, ScheduleSpec } from '../contract/schedule.ts';
import {
  type ScheduledRunWorkflowInput,
  scheduledRunActionId,
  scheduledRunWorkflowContract,
  scheduleOfTemporal,
  taskQueues,
  temporalScheduleId,
  type WorkflowOf,
} from '../contract/workflows.ts';

/** What a copy says of itself. */
export interface ScheduleCopy {
  version: number;
  isPaused: boolean;
}

interface PutOptions {
  /** One line about its runs for people who look at Temporal. */
  summary?: string;
  overwrites?: boolean;
}

/** Every function throws what Temporal's client throws. */
export interface Schedules {
  /**
   * Makes the copy what the row is, and returns true. One of a later version stays, unless `overwrites` says
   * otherwise; then it returns false.
   */
  put(schedule: Schedule, options?: PutOptions): Promise<boolean>;
  /** Does nothing when there is no copy. */
  remove(scheduleId: string): Promise<void>;
  /** Has a run begin now, by the schedule's policy on overlaps. */
  trigger(schedule: Schedule): Promise<void>;
  /** Null when there is no copy. */
  readOutlook(scheduleId: string): Promise<ScheduleOutlook | null>;
  /**
   * Every copy of this platform by the schedule's id, as Temporal lists them: the list may be seconds late.
   * Fails after half a minute.
   */
  list(): Promise<ReadonlyMap<string, ScheduleCopy>>;
}

const shownTimes = 5;
const listLimitMs = 30_000;

const overlapOf: Record<OverlapPolicy, ScheduleOverlapPolicy> = {
  skip: 'SKIP',
  buffer_one: 'BUFFER_ONE',
  cancel_other: 'CANCEL_OTHER',
  allow_all: 'ALLOW_ALL',
};

const noteOf = (version: number) => `version ${version}`;
const versionIn = (note: string | undefined) => Number(/^version (\d+)$/.exec(note ?? '')?.[1] ?? 0);

/** Temporal has a later change already. */
class NewerCopy extends Error {}

/** `sessionsQueue`: the task queue for sessions, after which the others are named. */
export function createSchedules(client: ScheduleClient, sessionsQueue: string): Schedules {
  const put: Schedules['put'] = async (schedule, { summary = 'Scheduled run', overwrites = false } = {}) => {
    const options = optionsOf(schedule, sessionsQueue, summary);
    const scheduleId = temporalScheduleId(schedule.id);
    try {
      await client.create<RunWorkflow>({ ...options, scheduleId, memo: { queue: sessionsQueue } });
      return true;
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) {
        throw error;
      }
      const upTo = overwrites ? Number.POSITIVE_INFINITY : schedule.version;
      return update(client, scheduleId, { upTo, options });
    }
  };
  return {
    put,
    async remove(id) {
      await unlessGone(client.getHandle(temporalScheduleId(id)).delete());
    },
    async trigger(schedule) {
      const begin = () =>
        client.getHandle(temporalScheduleId(schedule.id)).trigger(overlapOf[schedule.overlap]);
      if ((await unlessGone(begin().then(() => true))) === null) {
        await put(schedule);
        await begin();
      }
    },
    async readOutlook(id) {
      const found = await unlessGone(client.getHandle(temporalScheduleId(id)).describe());
      if (found === null) {
        return null;
      }
      const { info, state } = found;
      const times = state.paused ? [] : info.nextActionTimes.slice(0, shownTimes);
      return {
        next_times: times.map((at) => at.toISOString()),
        skipped_for_overlap: info.numActionsSkippedOverlap,
        missed: info.numActionsMissedCatchupWindow,
      };
    },
    list: () => listCopies(client, sessionsQueue),
  };
}

type RunWorkflow = WorkflowOf<typeof scheduledRunWorkflowContract>;
type RunOptions = Required<
  Pick<ScheduleOptions, 'spec' | 'policies' | 'state'> & {
    action: {
      type: 'startWorkflow';
      workflowType: string;
      workflowId: string;
      taskQueue: string;
      args: [ScheduledRunWorkflowInput];
      staticSummary: string;
    };
  }
>;

function optionsOf(schedule: Schedule, sessionsQueue: string, staticSummary: string): RunOptions {
  const { id, spec, time_zone: timezone, version, overlap } = schedule;
  return {
    spec: { ...temporalSpec(spec), timezone },
    action: {
      type: 'startWorkflow',
      workflowType: scheduledRunWorkflowContract.type,
      workflowId: scheduledRunActionId(id),
      taskQueue: taskQueues(sessionsQueue)[scheduledRunWorkflowContract.queue],
      args: [{ scheduleId: id }],
      staticSummary,
    },
    policies: {
      overlap: overlapOf[overlap],
      catchupWindow: schedule.catch_up_window_seconds * 1000,
      pauseOnFailure: false,
    },
    state: { paused: schedule.paused_at !== null, note: noteOf(version) },
  };
}

/** Throws for an expression that is none: a row holds only what was checked. */
export function temporalSpec(spec: ScheduleSpec): Pick<TemporalSpec, 'calendars' | 'intervals'> {
  if (spec.kind === 'interval') {
    return { intervals: [{ every: spec.every_seconds * 1000 }] };
  }
  const { times, problem } = parseCron(spec.expression);
  if (times === null) {
    throw new Error(`the cron expression of a schedule ${problem}`);
  }
  return { calendars: calendarsOf(times) };
}

const months = [
  ...(['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE', 'JULY'] as const),
  ...(['AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'] as const),
] as const;
const days = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

/** In one calendar a day has to fit both fields; two calendars fire at the times of either. */
function calendarsOf(times: CronTimes): CalendarSpec[] {
  const ofDay = {
    minute: times.minutes,
    hour: times.hours,
    month: times.months.flatMap((month) => months[month - 1] ?? []),
  };
  const dayOfMonth = times.daysOfMonth;
  const dayOfWeek = times.daysOfWeek.flatMap((day) => days[day] ?? []);
  return times.eitherDay
    ? [
        { ...ofDay, dayOfMonth },
        { ...ofDay, dayOfWeek },
      ]
    : [{ ...ofDay, dayOfMonth, dayOfWeek }];
}

/** False, and nothing changed, for a copy of a later version than `upTo`. */
async function update(
  client: ScheduleClient,
  scheduleId: string,
  { upTo, options }: { upTo: number; options: RunOptions },
): Promise<boolean> {
  try {
    await client.getHandle(scheduleId).update<RunWorkflow>(({ state }) => {
      if (versionIn(state.note) > upTo) {
        throw new NewerCopy();
      }
      return options;
    });
    return true;
  } catch (error) {
    if (error instanceof NewerCopy) {
      return false;
    }
    throw error;
  }
}

/** Copies of another platform in the same namespace are not its own to change. */
function listCopies(
  client: ScheduleClient,
  sessionsQueue: string,
): Promise<ReadonlyMap<string, ScheduleCopy>> {
  return client.withDeadline(Date.now() + listLimitMs, async () => {
    const copies = new Map<string, ScheduleCopy>();
    for await (const { scheduleId, memo, state } of client.list()) {
      const id = scheduleOfTemporal(scheduleId);
      if (id !== null && memo?.['queue'] === sessionsQueue) {
        copies.set(id, { version: versionIn(state.note), isPaused: state.paused });
      }
    }
    return copies;
  });
}

/** Null when Temporal knows no such schedule. */
async function unlessGone<Result>(asked: Promise<Result>): Promise<Result | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) {
      return null;
    }
    throw error;
  }
}
