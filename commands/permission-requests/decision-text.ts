import { subjectMatter } from '../../contract/grant.ts';
import { startNow } from '../../contract/how-to-ask.ts';
import type { PermissionDecision } from '../../contract/permission-request.ts';

const durations = { once: 'once', session: 'for this session', persistent: 'persistently' } as const;

/** The outcome as the agent reads it. `exactCall`: the grant permits no other call than the one that was refused. */
export function decisionText(
  decision: PermissionDecision,
  decidedBy: string,
  { exactCall }: { exactCall: boolean },
): string {
  const request = `Permission request ${decision.request_id} for ${subjectMatter(decision.grant_type, decision.details)}`;
  const because = decision.reason ? ` Reason: ${decision.reason}` : '';
  switch (decision.status) {
    case 'approved': {
      const duration = decision.scope === null ? '' : ` ${durations[decision.scope]}`;
      const call = exactCall ? ', for exactly the refused call,' : '';
      return `${request} was approved${duration}${call} by ${decidedBy} (grant ${decision.grant_id}). ${whatNow(decision)}${because}`;
    }
    case 'denied':
      return `${request} was denied by ${decidedBy}. Do not ask for it again.${because}`;
    case 'expired':
      return `${request} expired: nobody decided it in time.`;
    case 'cancelled':
      return `${request} was cancelled.${because}`;
  }
}

const whatNow = ({ grant_type, details }: PermissionDecision) =>
  grant_type === 'spawn' ? startNow(details['child_agent_id']) : 'You can retry the call.';
