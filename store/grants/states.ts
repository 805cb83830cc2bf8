/** How a grant stands, as conditions of a query over `grants` (spec, States and transitions). Each grant is in exactly one. */
import type { GrantState } from '../../contract/grant.ts';

const sessionEnded = `(grants.scope = 'session' and exists (
  select from sessions where sessions.id = grants.session_id and sessions.ended_at is not null
))`;
const open = 'grants.revoked_at is null and grants.consumed_at is null';

export const conditionByState: Record<GrantState, string> = {
  revoked: 'grants.revoked_at is not null',
  consumed: 'grants.revoked_at is null and grants.consumed_at is not null',
  expired: `${open} and ${sessionEnded}`,
  active: `${open} and not ${sessionEnded}`,
};
