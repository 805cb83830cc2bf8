import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import { type Workspace, workspaceSettings } from '../../contract/workspace.ts';

export const workspaceRow = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  ...workspaceSettings.shape,
  created_at: timestamp,
  updated_at: timestamp,
  closed_at: timestamp.nullable(),
  closed_by: uuid.nullable(),
  reopenable_until: timestamp.nullable(),
});

export function presentWorkspace(row: z.infer<typeof workspaceRow>): Workspace {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    settings: {
      log_tool_payloads: row.log_tool_payloads,
      allow_runtime_permission_requests: row.allow_runtime_permission_requests,
      keep_refused_calls: row.keep_refused_calls,
      members_grant_persistent: row.members_grant_persistent,
      tool_call_retention_days: row.tool_call_retention_days,
    },
    created_at: row.created_at,
    updated_at: row.updated_at,
    closed_at: row.closed_at,
    closed_by: row.closed_by,
    reopenable_until: row.reopenable_until,
  };
}
