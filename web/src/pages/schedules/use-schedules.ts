/** Schedules of a workspace and the outcome of their times. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Schedule, ScheduleRun } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';

/** Newest first; of one agent, or of all. */
export function useSchedules(slug: string, agentId: string | null) {
  return useList<Schedule>({
    queryKey: keys.schedules(slug, 'of', agentId),
    async fetchPage({ cursor, signal }) {
      const query = {
        ...(agentId === null ? {} : { agent_id: agentId }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const params = { path: { slug }, query };
      const page = await call(api.GET('/api/workspaces/{slug}/schedules', { params, signal }));
      return { items: page.schedules, next_cursor: page.next_cursor };
    },
  });
}

/** With its next times. */
export function useSchedule(slug: string, id: string) {
  return useQuery({
    queryKey: keys.schedules(slug, 'one', id),
    queryFn: ({ signal }) => {
      const params = { path: { slug, schedule_id: id } };
      return call(api.GET('/api/workspaces/{slug}/schedules/{schedule_id}', { params, signal }));
    },
  });
}

/** Newest first. Below the sessions: the stream says when those change. */
export function useRuns(slug: string, id: string) {
  return useList<ScheduleRun>({
    queryKey: keys.sessions(slug, 'runs', id),
    async fetchPage({ cursor, signal }) {
      const query = cursor === undefined ? {} : { cursor };
      const params = { path: { slug, schedule_id: id }, query };
      const page = await call(
        api.GET('/api/workspaces/{slug}/schedules/{schedule_id}/runs', { params, signal }),
      );
      return { items: page.runs, next_cursor: page.next_cursor };
    },
  });
}
