/** Where a secret is used, as people say it. */
import type { SecretUse } from '../api/types.ts';

/** What of the agent takes the secret, after the agent's name: "MCP server github, as API_TOKEN". */
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
  }
}

/** Whether the agent itself can read the value there. */
export function isReadableByAgent({ kind }: Pick<SecretUse, 'kind'>): boolean {
  return kind === 'agent_env';
}

/** "no agent", "1 agent", "3 agents": how many different ones use it. */
export function usersText(uses: readonly SecretUse[]): string {
  const count = new Set(uses.map(({ agent }) => agent.id)).size;
  return count === 0 ? 'no agent' : count === 1 ? '1 agent' : `${count} agents`;
}

/** Uses through entries that would no longer be given the secret; their agents' next sessions would not start. */
export function usesCutOff(
  uses: readonly SecretUse[],
  allowedServers: readonly string[] | null,
): SecretUse[] {
  return allowedServers === null
    ? []
    : uses.filter(
        ({ kind, name }) => kind === 'mcp_attachment' && name !== null && !allowedServers.includes(name),
      );
}
