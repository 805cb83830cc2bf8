import type { AuditEventName } from '../../contract/audit-event.ts';
import type { Schedule } from '../../contract/schedule.ts';
import type { Actor } from '../../contract/session-event.ts';
import type { NewAuditEvent } from '../../store/audit-events/append.ts';

type ScheduleEvent = Extract<AuditEventName, `schedule.${string}`>;

/** What happened to a schedule. `data` never has its prompt or what people wrote about it. */
export function auditOf(
  event: ScheduleEvent,
  schedule: Schedule,
  { by, data = {} }: { by: Actor; data?: Record<string, unknown> },
): NewAuditEvent {
  return {
    workspaceId: schedule.workspace_id,
    event,
    actor: by,
    resource: { type: 'schedule', id: schedule.id, name: schedule.name },
    data,
  };
}

/** What was decided, but for the prompt. */
export const decisionsOf = ({
  agent_id,
  spec,
  time_zone,
  overlap,
  catch_up_window_seconds,
  request_expiry_seconds,
}: Schedule) => ({
  agent_id,
  spec,
  time_zone,
  overlap,
  catch_up_window_seconds,
  request_expiry_seconds,
});
