import type { AgentAuthority, PermissionRequest } from '../../api/types.ts';
import { useAuthority } from '../../api/use-authority.ts';
import type { ChildState } from './unseen.ts';

/** As often as the request itself: nobody announces a change of the agent to start. */
const lookEveryMs = 15_000;

export interface ShownChild {
  query: { data: AgentAuthority | undefined; error: unknown; refetch(): unknown };
  state: ChildState;
  /** What is shown, as one text: another is something else to decide on. */
  facts: string;
}

/** What the agent can do that an open `spawn` request asks to start; nothing of one that is gone. */
export function useChild({ grant_type: type, child_agent: child }: PermissionRequest): ShownChild {
  const id = type === 'spawn' ? (child?.id ?? null) : null;
  const query = useAuthority(id, { everyMs: lookEveryMs });
  const { data, error } = query;
  // What could not be read again may have changed.
  const isRead = data !== undefined && error === null;
  const state = type !== 'spawn' ? 'none' : isRead ? 'shown' : 'unread';
  return { query, state, facts: data === undefined ? '' : JSON.stringify(data) };
}
