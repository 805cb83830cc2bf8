/** What a registration's workflow has to do. */
import { readRegistration } from '../../store/mcp-registrations/read.ts';
import { listRetiredClients } from '../../store/oauth-clients/clients.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type Shown, shownOf } from '../workflow-owner.ts';

export type RegistrationTask =
  /** An attempt to carry out. */
  | ({ kind: 'register'; revision: number; workspaceId: string } & Shown)
  /** Its entry was removed, or is no remote server any more. */
  | { kind: 'remove' }
  /** It was taken out of use, and has clients to delete at their servers. */
  | { kind: 'delete_clients' }
  | { kind: 'nothing' };

export async function readRegistrationTask(
  dependencies: ActivityDependencies,
  { registrationId }: { registrationId: string },
): Promise<RegistrationTask> {
  const registration = await readRegistration(dependencies.db, registrationId);
  if (registration === null) {
    return { kind: 'nothing' };
  }
  const { mcp_server_id: entryId, status, revision, workspace_id: workspaceId } = registration;
  if (entryId === null) {
    return { kind: 'remove' };
  }
  if (status === 'pending') {
    const shown = await shownOf(dependencies, 'registration', registrationId);
    return { kind: 'register', revision, workspaceId, ...shown };
  }
  const retired = status === 'failed' ? await listRetiredClients(dependencies.db, registrationId) : [];
  return { kind: retired.length > 0 ? 'delete_clients' : 'nothing' };
}
