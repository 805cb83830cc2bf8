/** What people read about schedules. Pure. */
import type { Schedule, ScheduleRun } from '../api/types.ts';
import { cronWords } from './cron-words.ts';
import { durationWords } from './duration-words.ts';

/** When it runs, in one line. */
export function whenText({ spec, time_zone: zone }: Pick<Schedule, 'spec' | 'time_zone'>): string {
  return spec.kind === 'cron'
    ? `${cronWords(spec.expression) ?? spec.expression} (${zone})`
    : `Every ${durationWords(spec.every_seconds)}`;
}

export const overlapLabels: Record<Schedule['overlap'], string> = {
  skip: 'Skip this one',
  buffer_one: 'Wait for its end',
  cancel_other: 'End it, then start',
  allow_all: 'Start beside it',
};

/** Why a schedule does not run; null while it does. */
export function pauseText({ pause_reason: reason }: Pick<Schedule, 'pause_reason'>): string | null {
  switch (reason) {
    case null:
      return null;
    case 'person':
      return 'Somebody paused it.';
    case 'maker_left':
      return 'Who created it is no longer a member of the workspace. An admin who resumes it takes it over.';
    case 'agent_removed':
      return 'Its agent was removed. Name another one, then resume it.';
    case 'agent_archived':
      return 'Its agent was archived. Unarchive it or name another one, then resume this schedule.';
    case 'workspace_closed':
      return 'The workspace was closed. Once it is open again, somebody has to resume this schedule.';
  }
}

/** Why a run has no session; null for one that started. */
export function withoutSessionText({
  outcome,
  detail,
}: Pick<ScheduleRun, 'outcome' | 'detail'>): string | null {
  switch (outcome) {
    case 'started':
      return null;
    case 'paused':
      return 'The schedule was paused';
    case 'maker_left':
      return 'Who created it was no longer a member of the workspace';
    case 'agent_removed':
      return 'Its agent was removed';
    case 'agent_archived':
      return 'Its agent was archived';
    case 'workspace_closed':
      return 'The workspace was closed';
    case 'too_late':
      return 'It came too late: nothing could start before its catch-up window was over';
    case 'repeated':
      return 'The clock was put back: the run before it was for the same time';
    case 'limit_reached':
      return detail ?? 'A limit was reached';
  }
}

/** "Fri 1 Jan 2027, 06:00", in a time zone. */
export function timeIn(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    ...({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const),
    ...({ hour: '2-digit', minute: '2-digit' } as const),
  }).format(new Date(at));
}
