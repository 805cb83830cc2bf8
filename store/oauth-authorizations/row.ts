/** Sign-ins at remote servers that people have to make. */
import * as z from 'zod';
import { authorizationStatus } from '../../contract/authorization.ts';
import { timestamp, uuid } from '../../contract/names.ts';

export const authorizationRow = z.object({
  id: uuid,
  workspace_id: uuid,
  user_id: uuid,
  registration_id: uuid,
  session_id: uuid.nullable(),
  scopes: z.array(z.string()),
  missing_scopes: z.array(z.string()).nullable(),
  step_ups: z.int(),
  status: authorizationStatus,
  problem: z.string().nullable(),
  expires_at: timestamp,
});
export type AuthorizationRow = z.infer<typeof authorizationRow>;

export const authorizationColumns = Object.keys(authorizationRow.shape) as (keyof AuthorizationRow)[];

/** A try to sign in, as it was begun: what the answer is compared with. */
export const attemptRow = z.object({
  url: z.string(),
  resource: z.string(),
  issuer: z.string(),
  oauth_client_id: uuid,
});
export type AttemptRow = z.infer<typeof attemptRow>;

export const attemptColumns = Object.keys(attemptRow.shape) as (keyof AttemptRow)[];
