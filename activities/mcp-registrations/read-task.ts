/** What a registration's workflow has to do. */
import { readRegistration } from '../../store/mcp-registrations/read.ts';
import { listRetiredClients } from '../../store/oauth-clients/clients.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export type RegistrationTask =
  /** An attempt to carry out. */
  | { kind: 'register'; revision: number; workspaceId: string; searchAttributesKnown: boolean }
  /** Its entry was removed, or is no remote server any more. */
  | { kind: 'remove' }
  /** It was taken out of use, and has clients to delete at their servers. */
  | { kind: 'delete_clients' }
  | { kind: 'nothing' };

export async function readRegistrationTask(
  { db, searchAttributesKnown }: ActivityDependencies,
  { registrationId }: { registrationId: string },
): Promise<RegistrationTask> {
  const registration = await readRegistration(db, registrationId);
  if (registration === null) {
    return { kind: 'nothing' };
  }
  const { mcp_server_id: entryId, status, revision, workspace_id: workspaceId } = registration;
  if (entryId === null) {
    return { kind: 'remove' };
  }
  if (status === 'pending') {
    return { kind: 'register', revision, workspaceId, searchAttributesKnown };
  }
  const retired = status === 'failed' ? await listRetiredClients(db, registrationId) : [];
  return { kind: retired.length > 0 ? 'delete_clients' : 'nothing' };
}
