/** People's sign-ins at remote servers, without their tokens. */
import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';

export const connectionRow = z.object({
  id: uuid,
  workspace_id: uuid,
  user_id: uuid,
  registration_id: uuid,
  url: z.string(),
  resource: z.string(),
  issuer: z.string(),
  oauth_client_id: uuid,
  requested_scopes: z.array(z.string()),
  granted_scopes: z.array(z.string()).nullable(),
  generation: z.int(),
  expires_at: timestamp.nullable(),
  created_at: timestamp,
  /** When its tokens were given. */
  refreshed_at: timestamp,
  used_at: timestamp.nullable(),
});
export type ConnectionRow = z.infer<typeof connectionRow>;

export const connectionColumns = Object.keys(connectionRow.shape) as (keyof ConnectionRow)[];

export const endReason = z.enum([
  'disconnected',
  'refused',
  'replaced',
  'left',
  'unbound',
  'workspace_closed',
]);
export type ConnectionEndReason = z.infer<typeof endReason>;
