/** Registrations of remote servers as their rows have them. */
import * as z from 'zod';
import { registrationStatus, signInServer } from '../../contract/mcp-registration.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import { remoteShape, signIn } from '../../contract/remote-server.ts';

export const registrationRow = z.object({
  id: uuid,
  workspace_id: uuid,
  /** Null once the entry is removed. */
  mcp_server_id: uuid.nullable(),
  entry_name: z.string(),
  shape: remoteShape,
  redirect_uri: z.string(),
  client_metadata_url: z.string().nullable(),
  revision: z.int(),
  status: registrationStatus,
  reason: z.string().nullable(),
  sign_in: signIn.nullable(),
  sign_in_server: signInServer.nullable(),
  found_server: signInServer.nullable(),
  /** The entry was in use when this attempt began, and stays so when nobody is reached. */
  resumes: z.boolean(),
  unreached_reason: z.string().nullable(),
  updated_at: timestamp,
});
export type RegistrationRow = z.infer<typeof registrationRow>;

export const registrationColumns = Object.keys(registrationRow.shape) as (keyof RegistrationRow)[];
