/** What a role allows on the workspace itself: members, settings, secrets, catalog, audit. */
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Refusal } from './refusal.ts';

const adminOnly = {
  'secrets.write': 'Only a workspace admin may set, restrict or clear secrets',
  'agents.delete': 'Only a workspace admin may delete an agent; its owner may archive it',
  'catalog.write': 'Only a workspace admin may register, update or remove MCP servers',
  'catalog.check': 'Only a workspace admin may check MCP servers',
  'repositories.write': 'Only a workspace admin may register and remove repositories',
  'channels.write': 'Only a workspace admin may set up channels and see what was posted to them',
  'members.manage': 'Only a workspace admin may add, change or remove members',
  'settings.write': 'Only a workspace admin may change settings',
  'workspace.close': 'Only a workspace admin may close the workspace, and reopen it',
  'audit.read': 'Only a workspace admin may read audit events',
  'system.read': 'Only a workspace admin may see what the platform runs on',
  'output.read': 'Only a workspace admin may read what processes of a session wrote',
  'egress.write': 'Only a workspace admin may open private network destinations',
} as const;

export type AdminAction = keyof typeof adminOnly;

export function whyNotAdmin(role: WorkspaceRole, action: AdminAction): Refusal {
  return role === 'admin' ? null : adminOnly[action];
}
