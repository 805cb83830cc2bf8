/**
 * Whose share of the connections to the database a request uses, so that no workspace keeps another waiting
 * (config/tool-connections.ts).
 */
import { workspaceConnections } from '../../config/tool-connections.ts';
import { keepNewest } from '../../lib/limits/keep-newest.ts';
import type { ConnectionOwner } from '../../store/connection-shares.ts';
import type { Db } from '../../store/database.ts';
import { readSession } from '../../store/sessions/sessions.ts';
import { type AnyRoute, type ContextByScope, type RouteScope, sessionIn } from '../route.ts';

export interface WorkspaceOwner extends ConnectionOwner {
  workspaceId: string;
}

/** Null where a request is about no workspace: its user's places limit those. */
export type ConnectionOwnerOf = (
  scope: ContextByScope[RouteScope],
  route: Pick<AnyRoute, 'stops'>,
) => Promise<WorkspaceOwner | null>;

type AnyScope = Partial<ContextByScope['session'] & ContextByScope['sidecar'] & ContextByScope['gateway']>;

const mostSessions = 10_000;

/** For work that is about one workspace, and ends or refuses nothing. */
export function createWorkspaceOwners(settings: { DATABASE_POOL: number }): (id: string) => WorkspaceOwner {
  const { usual } = workspaceConnections(settings);
  return (id) => ({ workspaceId: id, key: id, connections: usual });
}

export function createConnectionOwners(db: Db, settings: { DATABASE_POOL: number }): ConnectionOwnerOf {
  const { stopping } = workspaceConnections(settings);
  const ownerOf = createWorkspaceOwners(settings);
  // A session stays in its workspace. In the order in which they became known.
  const workspaces = new Map<string, string>();
  const workspaceOf = async (scope: AnyScope): Promise<string | null> => {
    const { workspace, sidecar, workload } = scope;
    if (workspace !== undefined) {
      return workspace.id;
    }
    if (workload?.kind === 'check') {
      return workload.check.workspace_id;
    }
    const known = sidecar === undefined ? undefined : workspaces.get(sidecar.sessionId);
    if (known !== undefined) {
      return known;
    }
    const session = sidecar === undefined ? sessionIn(scope) : await readSession(db, sidecar.sessionId);
    if (session === null) {
      return null;
    }
    workspaces.set(session.id, session.workspace_id);
    keepNewest(workspaces, mostSessions);
    return session.workspace_id;
  };
  return async (scope, { stops }) => {
    const id = await workspaceOf(scope as AnyScope);
    if (id === null) {
      return null;
    }
    const owner = ownerOf(id);
    return stops === true ? { ...owner, key: `${id} stopping`, connections: stopping } : owner;
  };
}
