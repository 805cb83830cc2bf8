import { useLocation, useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { ScheduleInput } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { newSchedule } from './schedule-values.ts';

/** With `?agent=` of that agent. */
export function NewSchedulePage() {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const save = useApiMutation({
    send: (body: ScheduleInput) =>
      call(api.POST('/api/workspaces/{slug}/schedules', { params: { path: { slug } }, body })),
    invalidates: [keys.schedules(slug)],
    onRefetched: ({ schedule }) => navigate(pathOf(slug, 'schedules', schedule.id)),
  });
  return (
    <PageFrame
      width="form"
      title="New schedule"
      description="Its sessions count against your limits. No person is behind them: they use no grants and sign-ins of yours."
    >
      <ScheduleForm
        initial={newSchedule(params.get('agent'))}
        draftName="new schedule"
        save={save}
        submitLabel="Create schedule"
        onCancel={() => navigate(pathOf(slug, 'schedules'))}
      />
    </PageFrame>
  );
}
