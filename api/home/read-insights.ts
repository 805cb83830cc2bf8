/**
 * What the last days of a workspace come to for one person: of the sessions that their list shows, as the
 * week of the first page. Nobody is counted by name.
 */
import { type Day, lastDays } from '../../contract/days.ts';
import type { WorkspaceInsights } from '../../contract/home.ts';
import { homeBounds } from '../../contract/home-bounds.ts';
import type { Db } from '../../store/database.ts';
import { countCallsByDay, countRequestsByDay, readMedianDecisionSeconds } from '../../store/home/by-day.ts';
import { sumUsageByAgent } from '../../store/model-requests/requests.ts';
import { readableBy } from '../policies/sessions.ts';
import type { InWorkspace } from '../route.ts';
import { callsOn, isCut, requestsOn } from './by-day.ts';

/** The last `days` by the clock of `timeZone`, with today; tokens by as many days of UTC. */
export async function readInsights(
  db: Db,
  visit: Pick<InWorkspace, 'user' | 'role' | 'workspace'>,
  { days: count, timeZone }: { days: number; timeZone: string },
): Promise<WorkspaceInsights> {
  const of = { workspaceId: visit.workspace.id, userId: visit.user.id, readableBy: readableBy(visit) };
  const days = lastDays(count, timeZone, Date.now());
  const requests = await countRequestsByDay(db, of, days);
  const calls = await countCallsByDay(db, of, days);
  return {
    from: beginningOf(days),
    requests: days.map(({ date }) => requestsOn(date, requests)),
    calls: days.map(({ date }) => callsOn(date, calls)),
    median_decision_seconds: await readMedianDecisionSeconds(db, of, days),
    model_tokens: await sumUsageByAgent(db, { ...of, days: count }),
    is_partial: isCut(requests, homeBounds.requests) || isCut(calls, homeBounds.callEntries),
  };
}

const beginningOf = ([first]: readonly Day[]): string => new Date(first?.startMs ?? 0).toISOString();
