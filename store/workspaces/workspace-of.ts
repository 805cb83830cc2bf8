/** In which workspace something is. It stays there, so each is looked up once. */
import type { Knex } from 'knex';
import { uuid } from '../../contract/names.ts';
import { keepNewest } from '../../lib/limits/keep-newest.ts';
import { onBehalfOf } from '../connection-shares.ts';

const tables = {
  session: 'sessions',
  permissionRequest: 'permission_requests',
  decision: 'decisions',
  check: 'mcp_checks',
  registration: 'mcp_registrations',
  authorization: 'oauth_authorizations',
  channelMessage: 'channel_messages',
  schedule: 'schedules',
  preview: 'previews',
} as const;
export type InSomeWorkspace = keyof typeof tables;

/** The id of the workspace; null for what is not there. Throws what the database throws. */
export type WorkspaceOf = (kind: InSomeWorkspace, id: string) => Promise<string | null>;

const mostKnown = 10_000;

/** Looks on a connection of nobody's share. */
export function createWorkspaceOf(db: Knex): WorkspaceOf {
  // In the order in which they became known.
  const workspaces = new Map<string, string>();
  return async (kind, id) => {
    const known = workspaces.get(id);
    if (known !== undefined || !uuid.safeParse(id).success) {
      return known ?? null;
    }
    const row = await onBehalfOf(null, async () => db(tables[kind]).where({ id }).first('workspace_id'));
    if (row === undefined) {
      return null;
    }
    workspaces.set(id, row.workspace_id);
    keepNewest(workspaces, mostKnown);
    return row.workspace_id;
  };
}
