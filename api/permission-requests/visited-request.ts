/** A permission request as a visitor of the workspace finds it: only when it is theirs to see. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Db } from '../../store/database.ts';
import { readPermissionRequest } from '../../store/permission-requests/requests.ts';
import { notFound } from '../errors.ts';
import { readableBy } from '../policies/sessions.ts';
import type { InWorkspace } from '../route.ts';
import { type Question, questionsOf } from './present.ts';

export const params = z.object({ request_id: uuid });

/** Throws 404 for a request that is not of the workspace, or not for this visitor to see. */
export async function requireRequest(db: Db, visit: InWorkspace, id: string): Promise<PermissionRequest> {
  const within = { workspaceId: visit.workspace.id, readableBy: readableBy(visit) };
  const request = await readPermissionRequest(db, id, within);
  if (request === null) {
    throw notFound('The permission request');
  }
  return request;
}

/** The request as policies judge it. Throws 404 when it was removed meanwhile. */
export async function requireQuestion(
  db: Db,
  { workspace }: Pick<InWorkspace, 'workspace'>,
  request: PermissionRequest,
): Promise<Question> {
  const question = (await questionsOf(db, workspace.id, [request])).get(request.id);
  if (question === undefined) {
    throw notFound('The permission request');
  }
  return question;
}
