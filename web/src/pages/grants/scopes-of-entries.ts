import type { McpServer } from '../../api/types.ts';

export interface KnownScope {
  scope: string;
  /** The first ones; a catalog may gate tens of thousands with one scope. */
  tools: { server: string; tool: string }[];
  moreTools: number;
  /** An entry that names it restricts its approval to admins. */
  adminOnly: boolean;
}

const mostTools = 200;

/** By name. Running sessions may gate with an older version of an entry: this is what new ones do. */
export function scopesOfEntries(
  entries: readonly Pick<McpServer, 'name' | 'manifest' | 'approvers'>[],
): KnownScope[] {
  const scopes = new Map<string, KnownScope>();
  for (const { name, manifest, approvers } of entries) {
    for (const [tool, scope] of Object.entries(manifest.tool_scopes)) {
      const known = scopes.get(scope) ?? { scope, tools: [], moreTools: 0, adminOnly: false };
      if (known.tools.length < mostTools) {
        known.tools.push({ server: name, tool });
      } else {
        known.moreTools += 1;
      }
      known.adminOnly ||= approvers === 'admin';
      scopes.set(scope, known);
    }
  }
  return [...scopes.values()].sort((a, b) => (a.scope < b.scope ? -1 : 1));
}
