import { type PermissionRequest, permissionRequest } from '../../contract/permission-request.ts';

export interface RequestRow {
  id: string;
  workspace_id: string;
  session_id: string;
  agent_id: string;
  grant_type: string;
  details: unknown;
  scope: string;
  justification: string;
  refused_server: string | null;
  refused_tool: string | null;
  status: string;
  grant_id: string | null;
  decided_by: string | null;
  decided_at: string | null;
  reason: string | null;
  created_at: string;
  expires_at: string;
}

export const requestColumns = [
  'id',
  'session_id',
  'agent_id',
  'grant_type',
  'details',
  'scope',
  'justification',
  'refused_server',
  'refused_tool',
  'status',
  'grant_id',
  'decided_by',
  'decided_at',
  'reason',
  'created_at',
  'expires_at',
] as const satisfies readonly (keyof RequestRow)[];

export function presentRequest(row: Omit<RequestRow, 'workspace_id'>): PermissionRequest {
  const { refused_server: server, refused_tool: tool, ...rest } = row;
  return permissionRequest.parse({
    ...rest,
    refused_call: server === null || tool === null ? null : { server, tool },
  });
}
