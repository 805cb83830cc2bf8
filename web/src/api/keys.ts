/** Keys of cached answers. `invalidateQueries({ queryKey: keys.agents(slug) })` also drops what is below it. */
export const keys = {
  me: ['me'],
  authOptions: ['auth-options'],
  workspace: (slug: string) => ['w', slug],
  sessions: (slug: string, ...more: unknown[]) => ['w', slug, 'sessions', ...more],
  session: (id: string, ...more: unknown[]) => ['session', id, ...more],
  permissionRequests: (slug: string, ...more: unknown[]) => ['w', slug, 'permission-requests', ...more],
  secrets: (slug: string, ...more: unknown[]) => ['w', slug, 'secrets', ...more],
  mcpServers: (slug: string, ...more: unknown[]) => ['w', slug, 'mcp-servers', ...more],
  /** Not below `mcpServers`: what a check says does not change with the catalog. */
  mcpChecks: (slug: string, ...more: unknown[]) => ['w', slug, 'mcp-checks', ...more],
  /** Entries with tools that are new or changed. */
  changedServers: (slug: string) => ['w', slug, 'changed-mcp-servers'],
  agents: (slug: string, ...more: unknown[]) => ['w', slug, 'agents', ...more],
  agent: (id: string, ...more: unknown[]) => ['agent', id, ...more],
  grants: (slug: string, ...more: unknown[]) => ['w', slug, 'grants', ...more],
  auditEvents: (slug: string, ...more: unknown[]) => ['w', slug, 'audit-events', ...more],
  members: (slug: string, ...more: unknown[]) => ['w', slug, 'members', ...more],
  availability: (slug: string) => ['w', slug, 'availability'],
  system: (slug: string) => ['w', slug, 'system'],
  settings: (slug: string) => ['w', slug, 'settings'],
} as const;
