import type { Workspace } from '../../contract/workspace.ts';

export interface WorkspaceRow {
  id: string;
  slug: string;
  name: string;
  log_tool_payloads: boolean;
  allow_runtime_permission_requests: boolean;
  members_grant_persistent: boolean;
  tool_call_retention_days: number | null;
  created_at: string;
  updated_at: string;
}

export function presentWorkspace(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    settings: {
      log_tool_payloads: row.log_tool_payloads,
      allow_runtime_permission_requests: row.allow_runtime_permission_requests,
      members_grant_persistent: row.members_grant_persistent,
      tool_call_retention_days: row.tool_call_retention_days,
    },
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
