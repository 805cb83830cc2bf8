import type { McpServer } from '../../api/types.ts';

export interface KnownScope {
  scope: string;
  tools: { server: string; tool: string }[];
  /** An entry that names it keeps its approval to admins. */
  adminOnly: boolean;
}

/** By name. Running sessions may gate with an older version of an entry: this is what new ones do. */
export function scopesOfEntries(
  entries: readonly Pick<McpServer, 'name' | 'manifest' | 'approvers'>[],
): KnownScope[] {
  const scopes = new Map<string, KnownScope>();
  for (const { name, manifest, approvers } of entries) {
    for (const [tool, scope] of Object.entries(manifest.tool_scopes)) {
      const known = scopes.get(scope) ?? { scope, tools: [], adminOnly: false };
      scopes.set(scope, {
        scope,
        tools: [...known.tools, { server: name, tool }],
        adminOnly: known.adminOnly || approvers === 'admin',
      });
    }
  }
  return [...scopes.values()].sort((a, b) => (a.scope < b.scope ? -1 : 1));
}
