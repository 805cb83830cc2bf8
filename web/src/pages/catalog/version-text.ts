/** An audit event that made a version of a catalog entry, as a row of its versions. */
import type { AuditEvent } from '../../api/types.ts';

const columns: Record<string, string> = {
  shape: 'what runs',
  image_digest: 'image',
  image_command: 'image command',
  image_volumes: 'volumes of the image',
  manifest: 'manifest',
  manifest_source: 'manifest source',
  network: 'network',
  egress_allow: 'private destinations',
  approvers: 'who can grant',
  require_passkey: 'approval with a passkey',
  client_features: 'what it can ask of the agent',
  changed_tools: 'what happens to changed tools',
  unlisted_tools: 'other tools',
  listed_tools: 'listed tools',
  start_seconds: 'limit for its start',
};

export function versionText({ event, data }: Pick<AuditEvent, 'event' | 'data'>): {
  version: string;
  change: string;
} {
  if (event === 'workspace.mcp.registered') {
    return { version: '1', change: 'registered' };
  }
  const { version, changed } = data;
  const names = Array.isArray(changed) ? changed.map(String) : [];
  return {
    version: typeof version === 'number' ? String(version) : '',
    change: names.length === 0 ? 'no changes' : names.map((name) => columns[name] ?? name).join(', '),
  };
}
