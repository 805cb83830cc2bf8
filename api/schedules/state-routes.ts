/** Pausing, resuming and running a schedule now. */
import * as z from 'zod';
import { pauseSchedule, resumeSchedule } from '../../commands/schedules/pause.ts';
import { requestRun } from '../../commands/schedules/start-run.ts';
import { maxPauseNoteLength, type Schedule } from '../../contract/schedule.ts';
import { ApiError, notFound } from '../errors.ts';
import { forAMoment } from '../follow-up.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { followSchedules } from './follow.ts';
import { presentSchedule } from './present.ts';
import { changeable, oneSchedule, params, path, type ScheduleDependencies } from './visited-schedule.ts';

export function stateRoutes(dependencies: ScheduleDependencies): AnyRoute[] {
  return [pauseRoute(dependencies), resumeRoute(dependencies), runRoute(dependencies)];
}

function pauseRoute(dependencies: ScheduleDependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'post',
    path: `${path}/pause`,
    summary: 'Pause a schedule, with a note for those who find it paused; a running session continues',
    scope: 'workspace',
    access: anyMember,
    params,
    stops: true,
    body: z.strictObject({ note: z.string().trim().max(maxPauseNoteLength).optional() }),
    response: oneSchedule,
    async handler({ params: { schedule_id: id }, body, ...visit }) {
      await changeable(db, visit, id);
      const key = { workspaceId: visit.workspace.id, id };
      const schedule = await pauseSchedule(db, key, { userId: visit.user.id, note: body.note || null });
      if (schedule === null) {
        throw notFound('The schedule');
      }
      await followSchedules(dependencies, [id]);
      return { schedule: await presentSchedule(db, visit, schedule) };
    },
  });
}

function resumeRoute(dependencies: ScheduleDependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'post',
    path: `${path}/resume`,
    summary: 'Resume a schedule; it becomes the caller’s when its maker is no longer a member',
    scope: 'workspace',
    access: anyMember,
    params,
    body: z.strictObject({}),
    response: oneSchedule,
    async handler({ params: { schedule_id: id }, ...visit }) {
      await changeable(db, visit, id);
      const resumed = await resumeSchedule(
        db,
        { workspaceId: visit.workspace.id, id },
        { userId: visit.user.id },
      );
      const schedule = requireResumed(resumed);
      await followSchedules(dependencies, [id]);
      return { schedule: await presentSchedule(db, visit, schedule) };
    },
  });
}

function requireResumed(resumed: Awaited<ReturnType<typeof resumeSchedule>>): Schedule {
  switch (resumed.result) {
    case 'done':
      return resumed.schedule;
    case 'agent_removed':
      throw new ApiError('conflict', 'Its agent was removed: name another one first');
    case 'agent_archived':
      throw new ApiError('conflict', 'Its agent is archived: unarchive it, or name another one first');
    case 'not_found':
    case 'not_member':
      throw notFound('The schedule');
  }
}

function runRoute({ db, workflows }: ScheduleDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${path}/run`,
    summary:
      'Run a schedule now, beside its times and by its policy on overlaps; the run appears in its history',
    scope: 'workspace',
    access: anyMember,
    params,
    body: z.strictObject({}),
    status: 202,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ params: { schedule_id: id }, ...visit }) {
      await changeable(db, visit, id);
      const asked = await requestRun(db, { workspaceId: visit.workspace.id, id }, { userId: visit.user.id });
      switch (asked.result) {
        case 'not_found':
          throw notFound('The schedule');
        case 'paused':
          throw new ApiError('conflict', 'The schedule is paused: resume it first');
        case 'still_running':
          throw new ApiError(
            'conflict',
            'The session of an earlier run has not ended, and the schedule says that a run is left out then',
          );
        case 'requested':
          await forAMoment(workflows.schedules.trigger(asked.schedule)).catch(notConfirmed);
          return { ok: true } as const;
      }
    },
  });
}

/** It may have reached Temporal. */
function notConfirmed(cause: unknown): never {
  throw new ApiError(
    'unavailable',
    'Temporal has not confirmed the run: look at the runs of the schedule before you run it again',
    { retryAfterSeconds: 5, cause },
  );
}
