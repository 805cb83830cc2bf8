/** Where a secret is used, as people say it. */
import type { ListedSecret, SecretUse } from '../api/types.ts';

type SecretUsers = NonNullable<ListedSecret['used_by']>;

/**
 * What takes the secret, after the name of the agent, catalog entry or channel: "MCP
 * server github, as API_TOKEN".
 */
export function placeOfUse({ kind, name, variable }: Pick<SecretUse, 'kind' | 'name' | 'variable'>): string {
  switch (kind) {
    case 'mcp_attachment':
      return `MCP server ${name}, as ${variable}`;
    case 'agent_env':
      return `its own environment, as ${variable}`;
    case 'model_key':
      return 'key of its model access';
    case 'sibling_env':
      return `sibling ${name}, as ${variable}`;
    case 'service_env':
      return `service ${name}, as ${variable}`;
    case 'registry_secret':
      return 'credentials for the registry of its image';
    case 'channel_address':
      return 'the URL of its webhook';
    case 'embedding_provider':
      return 'key of the embedding provider';
    case 'repository':
      return 'credential of the repository';
  }
}

/** Whether the agent itself can read the value there. */
export function isReadableByAgent({ kind }: Pick<SecretUse, 'kind'>): boolean {
  return kind === 'agent_env';
}

/** "no agent", "1 agent", "3 agents, 1 catalog entry, the embedding provider". */
export function usersText({
  agents,
  mcp_servers: entries,
  channels,
  embedding_providers: providers,
  repositories,
}: SecretUsers): string {
  const counted = [
    ...(agents === 0 ? [] : [agents === 1 ? '1 agent' : `${agents} agents`]),
    ...(entries === 0 ? [] : [entries === 1 ? '1 catalog entry' : `${entries} catalog entries`]),
    ...(channels === 0 ? [] : [channels === 1 ? '1 channel' : `${channels} channels`]),
    ...(providers === 0 ? [] : ['the embedding provider']),
    ...(repositories === 0 ? [] : [repositories === 1 ? '1 repository' : `${repositories} repositories`]),
  ];
  return counted.join(', ') || 'no agent';
}

const usesOfPlatform: ReadonlySet<SecretUse['kind']> = new Set([
  ...(['channel_address', 'embedding_provider', 'repository'] as const),
]);

/**
 * Uses by those who would no longer be given the secret: entries, whose next sessions would not start, and
 * what the platform itself uses it for, once it is for certain servers.
 */
export function usesCutOff(
  uses: readonly SecretUse[],
  allowedServers: readonly string[] | null,
): SecretUse[] {
  return allowedServers === null
    ? []
    : uses.filter(
        ({ kind, name }) =>
          (usesOfPlatform.has(kind) && allowedServers.length > 0) ||
          ((kind === 'mcp_attachment' || kind === 'registry_secret') &&
            name !== null &&
            !allowedServers.includes(name)),
      );
}
