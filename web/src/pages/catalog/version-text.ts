/** An audit event that made a version of a catalog entry, as a row of its versions. */
import type { AuditEvent } from '../../api/types.ts';
import { fieldInWords } from './entry-values.ts';

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
    change: names.length === 0 ? 'no changes' : names.map(fieldInWords).join(', '),
  };
}
