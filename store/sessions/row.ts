/** The columns that make a contract `Session`; their names are the contract's. */
import type { Session } from '../../contract/session.ts';

export type SessionRow = Session & {
  shared_with_workspace: boolean;
  control_url: string | null;
  requested_ending: unknown;
};

export const sessionColumns = [
  'id',
  'workspace_id',
  'agent_id',
  'operator_id',
  'root_operator_id',
  'parent_session_id',
  'status',
  'status_reason',
  'prompt',
  'outcome',
  'created_at',
  'started_at',
  'ended_at',
] as const satisfies readonly (keyof Session)[];
