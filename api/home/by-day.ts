/** Counts by day and status, as the first page and Insights show them. Pure. */
import type { CallOutcome } from '../../contract/audit-event.ts';
import type { CallsOfDay, RequestsOfDay, SessionsOfDay } from '../../contract/home.ts';
import type { RequestStatus } from '../../contract/permission-request.ts';
import { isTerminal, type SessionStatus, sessionStatus } from '../../contract/session.ts';

interface DayCount<Status extends string> {
  day: string;
  status: Status;
  count: number;
}

/** Whether there may be more than the rows that were looked at, at most `most`. */
export const isCut = (rows: readonly { looked: number }[], most: number): boolean =>
  (rows[0]?.looked ?? 0) >= most;

/** Adds up the counts of one day with any of the given statuses. */
const countsOn =
  <Status extends string>(day: string, rows: readonly DayCount<Status>[]) =>
  (...wanted: readonly Status[]): number =>
    rows
      .filter((row) => row.day === day && wanted.includes(row.status))
      .reduce((sum, { count }) => sum + count, 0);

const unfinished = sessionStatus.options.filter((status) => !isTerminal(status));

export function sessionsOn(day: string, rows: readonly DayCount<SessionStatus>[]): SessionsOfDay {
  const of = countsOn(day, rows);
  return {
    day,
    ...{ completed: of('completed'), failed: of('failed'), terminated: of('terminated') },
    unfinished: of(...unfinished),
  };
}

export function requestsOn(day: string, rows: readonly DayCount<RequestStatus>[]): RequestsOfDay {
  const of = countsOn(day, rows);
  return {
    day,
    ...{ approved: of('approved'), denied: of('denied'), expired: of('expired') },
    ...{ cancelled: of('cancelled'), open: of('open') },
  };
}

export function callsOn(day: string, rows: readonly DayCount<CallOutcome>[]): CallsOfDay {
  const of = countsOn(day, rows);
  return {
    day,
    ...{ ok: of('ok'), tool_error: of('tool_error'), protocol_error: of('protocol_error') },
    ...{ permission_required: of('permission_required'), waiting: of('waiting'), refused: of('refused') },
    ...{ server_unavailable: of('server_unavailable'), cancelled: of('cancelled'), unknown: of('unknown') },
  };
}
