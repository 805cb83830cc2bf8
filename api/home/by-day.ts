/** Counts by day and status, as the first page and Insights show them. Pure. */
import type { CallOutcome } from '../../contract/audit-event.ts';
import type { CallsOfDay, RequestsOfDay, SessionsOfDay } from '../../contract/home.ts';
import type { RequestStatus } from '../../contract/permission-request.ts';
import { isTerminal, type SessionStatus } from '../../contract/session.ts';

interface DayCount<Status extends string> {
  day: string;
  status: Status;
  count: number;
}

/** Whether there may be more than the rows that were looked at, at most `most`. */
export const isCut = (rows: readonly { looked: number }[], most: number): boolean =>
  (rows[0]?.looked ?? 0) >= most;

const countOn =
  <Status extends string>(day: string, rows: readonly DayCount<Status>[]) =>
  (fits: (status: Status) => boolean): number =>
    rows.filter((row) => row.day === day && fits(row.status)).reduce((sum, { count }) => sum + count, 0);

export function sessionsOn(day: string, rows: readonly DayCount<SessionStatus>[]): SessionsOfDay {
  const count = countOn(day, rows);
  const of = (wanted: SessionStatus) => count((status) => status === wanted);
  return {
    day,
    ...{ completed: of('completed'), failed: of('failed'), terminated: of('terminated') },
    unfinished: count((status) => !isTerminal(status)),
  };
}

export function requestsOn(day: string, rows: readonly DayCount<RequestStatus>[]): RequestsOfDay {
  const count = countOn(day, rows);
  const of = (wanted: RequestStatus) => count((status) => status === wanted);
  return {
    day,
    ...{ approved: of('approved'), denied: of('denied'), expired: of('expired') },
    ...{ cancelled: of('cancelled'), open: of('open') },
  };
}

export function callsOn(day: string, rows: readonly DayCount<CallOutcome>[]): CallsOfDay {
  const count = countOn(day, rows);
  const of = (wanted: CallOutcome) => count((outcome) => outcome === wanted);
  return {
    day,
    ...{ ok: of('ok'), tool_error: of('tool_error'), protocol_error: of('protocol_error') },
    ...{ permission_required: of('permission_required'), waiting: of('waiting'), refused: of('refused') },
    ...{ server_unavailable: of('server_unavailable'), cancelled: of('cancelled'), unknown: of('unknown') },
  };
}
