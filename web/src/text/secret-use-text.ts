/** Where a secret is used, as people say it. */
import type { SecretUse } from '../api/types.ts';

/** What takes the secret, after the name of the agent or catalog entry: "MCP server github, as API_TOKEN". */
export function placeOfUse({ kind, name, variable }: Pick<SecretUse, 'kind' | 'name' | 'variable'>): string {
  switch (kind) {
    case 'mcp_attachment':
      return `MCP server ${name}, as ${variable}`;
    case 'agent_env':
      return `its own environment, as ${variable}`;
    case 'sibling_env':
      return `sibling ${name}, as ${variable}`;
    case 'service_env':
      return `service ${name}, as ${variable}`;
    case 'registry_secret':
      return 'credentials for the registry of its image';
  }
}

/** Whether the agent itself can read the value there. */
export function isReadableByAgent({ kind }: Pick<SecretUse, 'kind'>): boolean {
  return kind === 'agent_env';
}

/** "no agent", "1 agent", "3 agents, 1 catalog entry". */
export function usersText({ agents, mcp_servers: entries }: { agents: number; mcp_servers: number }): string {
  const counted = [
    ...(agents === 0 ? [] : [agents === 1 ? '1 agent' : `${agents} agents`]),
    ...(entries === 0 ? [] : [entries === 1 ? '1 catalog entry' : `${entries} catalog entries`]),
  ];
  return counted.join(', ') || 'no agent';
}

/** Uses through entries that would no longer be given the secret; the next sessions that they are part of would not start. */
export function usesCutOff(
  uses: readonly SecretUse[],
  allowedServers: readonly string[] | null,
): SecretUse[] {
  return allowedServers === null
    ? []
    : uses.filter(
        ({ kind, name }) =>
          (kind === 'mcp_attachment' || kind === 'registry_secret') &&
          name !== null &&
          !allowedServers.includes(name),
      );
}
