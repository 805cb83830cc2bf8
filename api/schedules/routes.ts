import * as z from 'zod';
import {
  createSchedule,
  removeSchedule,
  type SavedSchedule,
  updateSchedule,
} from '../../commands/schedules/save.ts';
import { uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import {
  type Schedule,
  scheduleInput,
  scheduleOutlook,
  schedulePatch,
  shownRun,
  shownSchedule,
} from '../../contract/schedule.ts';
import { listRuns } from '../../store/schedules/runs.ts';
import { listSchedules } from '../../store/schedules/schedules.ts';
import { invalid, nameTaken, notFound } from '../errors.ts';
import { forAMoment } from '../follow-up.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { followSchedules } from './follow.ts';
import { presentSchedule, presentSchedules } from './present.ts';
import { stateRoutes } from './state-routes.ts';
import {
  changeable,
  collection,
  oneSchedule,
  params,
  path,
  type ScheduleDependencies,
  visited,
} from './visited-schedule.ts';

export function scheduleRoutes(dependencies: ScheduleDependencies): AnyRoute[] {
  return [
    listRoute(dependencies),
    createRoute(dependencies),
    readRoute(dependencies),
    updateRoute(dependencies),
    removeRoute(dependencies),
    runsRoute(dependencies),
    ...stateRoutes(dependencies),
  ];
}

function listRoute({ db }: ScheduleDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'The schedules of a workspace, newest first; prompts for those who may change them',
    scope: 'workspace',
    access: anyMember,
    isCompressed: true,
    query: pageQuery.extend({ agent_id: uuid.optional() }),
    response: z.strictObject({ schedules: z.array(shownSchedule), next_cursor: nextCursor }),
    async handler({ query: { agent_id: agentId, ...page }, ...visit }) {
      const { items, nextCursor } = await listSchedules(db, visit.workspace.id, { agentId }, page);
      return { schedules: await presentSchedules(db, visit, items), next_cursor: nextCursor };
    },
  });
}

function createRoute(dependencies: ScheduleDependencies): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'post',
    path: collection,
    summary: 'Have an agent run by a cron expression or an interval; its sessions count as the caller’s',
    scope: 'workspace',
    access: anyMember,
    body: scheduleInput,
    status: 201,
    response: oneSchedule,
    async handler({ body, ...visit }) {
      const who = { workspaceId: visit.workspace.id, makerId: visit.user.id };
      const limits = {
        limit: config.LIMIT_SCHEDULES_PER_WORKSPACE,
        shortestIntervalSeconds: config.SCHEDULE_SHORTEST_SECONDS,
      };
      const schedule = saved(await createSchedule(db, who, body, limits));
      await followSchedules(dependencies, [schedule.id]);
      return { schedule: await presentSchedule(db, visit, schedule) };
    },
  });
}

function readRoute({ db, workflows, log }: ScheduleDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path,
    summary: 'One schedule, with its next times; these are null while Temporal does not answer',
    scope: 'workspace',
    access: anyMember,
    params,
    response: z.strictObject({ schedule: shownSchedule, outlook: scheduleOutlook.nullable() }),
    async handler({ params: { schedule_id: id }, ...visit }) {
      const schedule = await visited(db, visit, id);
      const outlook = await forAMoment(workflows.schedules.readOutlook(id)).catch((err: unknown) => {
        log.warn({ err, schedule_id: id }, 'the next times of a schedule are not known');
        return null;
      });
      return { schedule: await presentSchedule(db, visit, schedule), outlook };
    },
  });
}

function updateRoute(dependencies: ScheduleDependencies): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'patch',
    path,
    summary: 'Change a schedule; holds from the next run on',
    scope: 'workspace',
    access: anyMember,
    params,
    body: schedulePatch,
    response: oneSchedule,
    async handler({ params: { schedule_id: id }, body, ...visit }) {
      await changeable(db, visit, id);
      const key = { workspaceId: visit.workspace.id, id };
      const shortestIntervalSeconds = config.SCHEDULE_SHORTEST_SECONDS;
      const by = { userId: visit.user.id, shortestIntervalSeconds };
      const schedule = saved(await updateSchedule(db, key, body, by));
      await followSchedules(dependencies, [id]);
      return { schedule: await presentSchedule(db, visit, schedule) };
    },
  });
}

function removeRoute(dependencies: ScheduleDependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'delete',
    path,
    summary: 'Remove a schedule with what is known of its runs; its sessions stay, and continue',
    scope: 'workspace',
    access: anyMember,
    params,
    stops: true,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ params: { schedule_id: id }, ...visit }) {
      await changeable(db, visit, id);
      const key = { workspaceId: visit.workspace.id, id };
      if (!(await removeSchedule(db, key, { userId: visit.user.id }))) {
        throw notFound('The schedule');
      }
      await followSchedules(dependencies, [id]);
      return { ok: true } as const;
    },
  });
}

function runsRoute({ db }: ScheduleDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/runs`,
    summary: 'The outcome of each time of a schedule, newest first: its session, or why there is none',
    scope: 'workspace',
    access: anyMember,
    isCompressed: true,
    params,
    query: pageQuery,
    response: z.strictObject({ runs: z.array(shownRun), next_cursor: nextCursor }),
    async handler({ params: { schedule_id: id }, query, ...visit }) {
      await changeable(db, visit, id);
      const readerId = visit.role === 'admin' ? null : visit.user.id;
      const { items, nextCursor } = await listRuns(db, { scheduleId: id, readerId }, query);
      return { runs: items, next_cursor: nextCursor };
    },
  });
}

function saved(result: SavedSchedule): Schedule {
  switch (result.result) {
    case 'saved':
      return result.schedule;
    case 'refused':
      throw invalid(result.problems);
    case 'not_found':
      throw notFound('The schedule');
    case 'name_taken':
      throw nameTaken('a schedule', result.by);
  }
}
