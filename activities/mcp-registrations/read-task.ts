/** What a registration's workflow has to do. */
import { readRegistration } from '../../store/mcp-registrations/read.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export type RegistrationTask =
  /** An attempt to carry out. */
  | { kind: 'register'; revision: number; workspaceId: string; searchAttributesKnown: boolean }
  /** Its entry was removed, or is no remote server any more. */
  | { kind: 'remove' }
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
  return status === 'pending'
    ? { kind: 'register', revision, workspaceId, searchAttributesKnown }
    : { kind: 'nothing' };
}
