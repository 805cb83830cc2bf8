/**
 * Keys of cached answers. `invalidateQueries({ queryKey: keys.agents(slug) })` also drops what is below it.
 */
export const keys = {
  me: ['me'],
  authOptions: ['auth-options'],
  /** Where the person is signed in, in all of their workspaces. */
  connections: ['connections'],
  /** The person's own. */
  passkeys: ['passkeys'],
  authorization: (id: string) => ['authorization', id],
  workspace: (slug: string) => ['w', slug],
  home: (slug: string) => ['w', slug, 'home'],
  insights: (slug: string, ...more: unknown[]) => ['w', slug, 'insights', ...more],
  sessions: (slug: string, ...more: unknown[]) => ['w', slug, 'sessions', ...more],
  session: (id: string, ...more: unknown[]) => ['session', id, ...more],
  permissionRequests: (slug: string, ...more: unknown[]) => ['w', slug, 'permission-requests', ...more],
  /**
   * Not below `permissionRequests`: a request's call never changes, and what is shown
   * of it is not read again.
   */
  refusedCall: (slug: string, requestId: string, digest: string | null) => [
    'w',
    slug,
    'refused-call',
    requestId,
    digest,
  ],
  channels: (slug: string, ...more: unknown[]) => ['w', slug, 'channels', ...more],
  /** Not below `channels`: they change by themselves. */
  channelMessages: (slug: string, ...more: unknown[]) => ['w', slug, 'channel-messages', ...more],
  previews: (slug: string, ...more: unknown[]) => ['w', slug, 'previews', ...more],
  schedules: (slug: string, ...more: unknown[]) => ['w', slug, 'schedules', ...more],
  secrets: (slug: string, ...more: unknown[]) => ['w', slug, 'secrets', ...more],
  mcpServers: (slug: string, ...more: unknown[]) => ['w', slug, 'mcp-servers', ...more],
  /** Not below `mcpServers`: what is registered is asked about no more. */
  mcpServerDryRuns: (slug: string, ...more: unknown[]) => ['w', slug, 'mcp-server-dry-runs', ...more],
  /** Not below `mcpServers`: what a check says does not change with the catalog. */
  mcpChecks: (slug: string, ...more: unknown[]) => ['w', slug, 'mcp-checks', ...more],
  /** Entries with tools that are new or changed. */
  changedServers: (slug: string) => ['w', slug, 'changed-mcp-servers'],
  agents: (slug: string, ...more: unknown[]) => ['w', slug, 'agents', ...more],
  agent: (id: string, ...more: unknown[]) => ['agent', id, ...more],
  grants: (slug: string, ...more: unknown[]) => ['w', slug, 'grants', ...more],
  /** What one confirms: a change of grants does not read it again. */
  revocation: (slug: string, ids: readonly string[]) => ['w', slug, 'grant-revocation', ids],
  auditEvents: (slug: string, ...more: unknown[]) => ['w', slug, 'audit-events', ...more],
  auditEventCounts: (slug: string, ...more: unknown[]) => ['w', slug, 'audit-event-counts', ...more],
  graph: (slug: string) => ['w', slug, 'graph'],
  collections: (slug: string) => ['w', slug, 'collections'],
  embeddingProvider: (slug: string) => ['w', slug, 'embedding-provider'],
  members: (slug: string, ...more: unknown[]) => ['w', slug, 'members', ...more],
  repositories: (slug: string) => ['w', slug, 'repositories'],
  modelEndpoints: (slug: string) => ['w', slug, 'model-endpoints'],
  availability: (slug: string) => ['w', slug, 'availability'],
  system: (slug: string) => ['w', slug, 'system'],
  settings: (slug: string) => ['w', slug, 'settings'],
} as const;
