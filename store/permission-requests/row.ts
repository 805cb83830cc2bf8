import * as z from 'zod';
import { type PermissionRequest, permissionRequest } from '../../contract/permission-request.ts';

export const requestRow = z.object({
  id: z.string(),
  session_id: z.string(),
  agent_id: z.string(),
  grant_type: z.string(),
  details: z.unknown(),
  scope: z.string(),
  justification: z.string(),
  refused_server: z.string().nullable(),
  refused_tool: z.string().nullable(),
  call_digest: z.string().nullable(),
  call_size_bytes: z.int().nullable(),
  status: z.string(),
  grant_id: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  reason: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
});
type RequestRow = z.infer<typeof requestRow>;
export const requestColumns = Object.keys(requestRow.shape) as (keyof RequestRow)[];

export function presentRequest(row: RequestRow): PermissionRequest {
  const {
    refused_server: server,
    refused_tool: tool,
    call_digest: digest,
    call_size_bytes: size,
    ...rest
  } = row;
  return permissionRequest.parse({
    ...rest,
    refused_call:
      server === null || tool === null ? null : { server, tool, digest, arguments_size_bytes: size },
  });
}
