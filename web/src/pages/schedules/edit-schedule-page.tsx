import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Schedule, ScheduleInput } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { NoPermissionState } from '../../components/state-views.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { valuesOf } from './schedule-values.ts';
import { useSchedule } from './use-schedules.ts';

export function EditSchedulePage({ id }: { id: string }) {
  const { slug } = useWorkspace();
  return (
    <QueryState query={useSchedule(slug, id)} what="The schedule">
      {({ schedule }) =>
        schedule.may_change ? (
          <EditSchedule schedule={schedule} />
        ) : (
          <NoPermissionState rule="Only who created it and workspace admins may change a schedule." />
        )
      }
    </QueryState>
  );
}

function EditSchedule({ schedule }: { schedule: Schedule }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  // What the form began with: another person may save meanwhile.
  const [begun] = useState(schedule);
  const page = pathOf(slug, 'schedules', begun.id);
  const save = useApiMutation({
    done: 'Schedule saved',
    send: (body: ScheduleInput) =>
      call(
        api.PATCH('/api/workspaces/{slug}/schedules/{schedule_id}', {
          params: { path: { slug, schedule_id: begun.id } },
          body,
        }),
      ),
    invalidates: [keys.schedules(slug)],
    onRefetched: () => navigate(page),
  });
  return (
    <PageFrame width="form" title={`Edit ${begun.name}`} description="Holds from the next run on.">
      <ScheduleForm
        initial={valuesOf(begun)}
        draftName={`schedule ${begun.id} ${begun.version}`}
        save={save}
        submitLabel="Save"
        onCancel={() => navigate(page)}
      />
    </PageFrame>
  );
}
