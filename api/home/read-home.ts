/**
 * The first page of a workspace for one person. Which sessions they see is decided in SQL by the condition of
 * the list of sessions, and who may decide, accept and start by the policies of the routes that do it. Each
 * statement reads a bounded number of rows, and there is none for each row.
 */
import type { ApiConfig } from '../../config/api.ts';
import { unavailableEntry } from '../../contract/available-runs.ts';
import { type Day, lastDays } from '../../contract/days.ts';
import { exampleServer } from '../../contract/example.ts';
import type { FailedSession, WorkspaceHome } from '../../contract/home.ts';
import { homeBounds } from '../../contract/home-bounds.ts';
import { nextRunMs } from '../../contract/next-run.ts';
import { readAgents } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database.ts';
import { countRequestsByDay, countSessionsByDay } from '../../store/home/by-day.ts';
import { type HomeOf, listFailed, listRunning, readTitles } from '../../store/home/sessions.ts';
import { readSetup } from '../../store/home/setup.ts';
import { listNeededAnswers, listNeededSignIns } from '../../store/home/waits.ts';
import { listPermissionRequests } from '../../store/permission-requests/requests.ts';
import { listRunningSchedules } from '../../store/schedules/schedules.ts';
import { listChangedServers } from '../../store/tool-definitions/list.ts';
import { readAvailability, readWhyUnavailable } from '../availability.ts';
import { listDecidable } from '../permission-requests/present.ts';
import { mostCounted } from '../permission-requests/routes.ts';
import { readableBy } from '../policies/sessions.ts';
import { whyNotAdmin } from '../policies/workspace.ts';
import type { InWorkspace } from '../route.ts';
import { isCut, requestsOn, sessionsOn } from './by-day.ts';

export interface HomeDependencies {
  db: Db;
  config: Pick<ApiConfig, 'RUNTIME'>;
}

type Visit = Pick<InWorkspace, 'user' | 'role' | 'workspace'>;

/** `timeZone`: of the person, whose clock the days are counted by. */
export async function readHome(
  dependencies: HomeDependencies,
  visit: Visit,
  timeZone: string,
): Promise<WorkspaceHome> {
  const { db } = dependencies;
  const home = { workspaceId: visit.workspace.id, userId: visit.user.id, readableBy: readableBy(visit) };
  const nowMs = Date.now();
  return {
    needs: {
      decisions: await readDecisions(db, visit, home),
      sign_ins: partOf(await listNeededSignIns(db, home)),
      answers: partOf(await listNeededAnswers(db, home)),
      changed_tools: await readChangedTools(db, visit),
    },
    running: partOf(await listRunning(db, home)),
    failed: await readFailed(dependencies, visit, home),
    week: await readWeek(db, home, lastDays(7, timeZone, nowMs)),
    next_runs: await readNextRuns(db, visit, nowMs),
    setup: await readSetupFor(db, visit, home),
    example_refusal: await whyNoExample(dependencies, visit),
  };
}

async function readSetupFor(db: Db, { role }: Visit, home: HomeOf): Promise<WorkspaceHome['setup']> {
  const setup = await readSetup(db, home);
  return { ...setup, channel: whyNotAdmin(role, 'channels.write') === null ? setup.channel : null };
}

/** As the route that adds it refuses. */
async function whyNoExample(
  { db, config }: HomeDependencies,
  { role, workspace }: Visit,
): Promise<string | null> {
  return (
    whyNotAdmin(role, 'catalog.write') ??
    (workspace.closed_at === null ? null : 'The workspace is closed') ??
    unavailableEntry(exampleServer, await readAvailability(db, config))
  );
}

const partOf = <Row>(rows: readonly Row[]) => ({
  first: rows.slice(0, homeBounds.rows),
  count: Math.min(rows.length, homeBounds.counted),
});

async function readDecisions(
  db: Db,
  visit: Visit,
  home: HomeOf,
): Promise<WorkspaceHome['needs']['decisions']> {
  const open = { status: 'open', readableBy: home.readableBy } as const;
  const { items } = await listPermissionRequests(db, home.workspaceId, open, { limit: mostCounted });
  const soonest = items.toSorted((one, other) => Date.parse(one.expires_at) - Date.parse(other.expires_at));
  const { first, count } = partOf(await listDecidable(db, visit, soonest));
  const titles = await readTitles(
    db,
    home,
    first.map(({ request }) => request.session_id),
  );
  const rows = first.flatMap(({ request, context }) => {
    const session = titles.get(request.session_id);
    const { id, grant_type, details, refused_call: call, created_at, expires_at } = request;
    const matter = grant_type === 'spawn' ? context.childAgent?.name : details['scope'];
    return session === undefined
      ? []
      : [
          {
            ...{ id, session, grant_type, created_at, expires_at },
            matter: typeof matter === 'string' ? matter : '',
            tool: call && { server: call.server, name: call.tool },
          },
        ];
  });
  return { first: rows, count };
}

/** Only admins may accept them. */
async function readChangedTools(db: Db, visit: Visit): Promise<WorkspaceHome['needs']['changed_tools']> {
  if (whyNotAdmin(visit.role, 'catalog.write') !== null) {
    return { first: [], count: 0 };
  }
  const { items } = await listChangedServers(db, visit.workspace.id, { limit: homeBounds.counted });
  return partOf(
    items.map(({ name, version, waiting, first_seen_at }) => ({
      ...{ mcp_server: name, version, waiting, first_seen_at },
    })),
  );
}

/** Only one's own: the prompt of another would run with one's own grants and sign-ins. */
async function readFailed(
  dependencies: HomeDependencies,
  { workspace }: Visit,
  home: HomeOf,
): Promise<{ first: FailedSession[]; count: number }> {
  const { first, count } = partOf(await listFailed(dependencies.db, home));
  const agents = await readAgents(
    dependencies.db,
    first.map(({ agent }) => agent.id),
  );
  const whyUnavailable = await readWhyUnavailable(dependencies, agents);
  const startable = new Set(
    agents
      .filter((agent) => agent.archived_at === null && whyUnavailable(agent) === null)
      .map(({ id }) => id),
  );
  const isOpen = workspace.closed_at === null;
  return {
    first: first.map(({ isOwn, ...row }) => ({
      ...row,
      may_run_again: isOpen && isOwn && startable.has(row.agent.id),
    })),
    count,
  };
}

async function readWeek(db: Db, home: HomeOf, days: readonly Day[]): Promise<WorkspaceHome['week']> {
  const sessions = await countSessionsByDay(db, home, days);
  const requests = await countRequestsByDay(db, home, days);
  return {
    sessions: days.map(({ date }) => sessionsOn(date, sessions)),
    requests: days.map(({ date }) => requestsOn(date, requests)),
    is_partial: isCut(sessions, homeBounds.sessions) || isCut(requests, homeBounds.requests),
  };
}

async function readNextRuns(
  db: Db,
  { workspace }: Visit,
  nowMs: number,
): Promise<WorkspaceHome['next_runs']> {
  const schedules = await listRunningSchedules(db, workspace.id, homeBounds.schedules);
  return schedules
    .flatMap(({ id, name, spec, time_zone: zone }) => {
      const at = workspace.closed_at === null ? nextRunMs(spec, zone, nowMs) : null;
      return at === null ? [] : [{ schedule: { id, name }, at }];
    })
    .sort((one, other) => one.at - other.at)
    .slice(0, homeBounds.rows)
    .map(({ at, ...run }) => ({ ...run, at: new Date(at).toISOString() }));
}
