import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { keys } from '../../api/keys.ts';
import type { McpServerInput } from '../../api/types.ts';
import type { PlannedServer } from './import-plan.ts';

/** Whoever types is not asked about. */
const settledMs = 500;
/** An image may be pushed and a name become free. */
const validMs = 60_000;

const whatIsSent = ({ input }: Pick<PlannedServer, 'input'>) => JSON.stringify(input);

/**
 * Asks the platform what registering each server would say, one after another. The refusal of a server is
 * undefined while that is unknown, and where the server would be registered.
 */
export function useDryRuns(slug: string, servers: readonly PlannedServer[]) {
  const client = useQueryClient();
  const current = JSON.stringify(servers.map(({ input }) => input));
  const [inputs] = useDebouncedValue(current, settledMs);
  const { data } = useQuery({
    queryKey: keys.mcpServerDryRuns(slug, inputs),
    async queryFn({ signal }) {
      const refusals: Record<string, unknown> = {};
      for (const input of JSON.parse(inputs) as McpServerInput[]) {
        const sent = whatIsSent({ input });
        refusals[sent] = await client.fetchQuery({
          queryKey: keys.mcpServerDryRuns(slug, sent),
          queryFn: () => refusalOf(slug, input, signal),
          staleTime: validMs,
        });
      }
      return refusals;
    },
    staleTime: validMs,
    enabled: inputs === current,
  });
  return {
    refusalOf: (server: PlannedServer): unknown => data?.[whatIsSent(server)] ?? undefined,
    /** Nothing is asked about what is being registered. */
    stop: () => client.cancelQueries({ queryKey: keys.mcpServerDryRuns(slug) }),
  };
}

/** Null also where the platform could not say: registering says it then. */
async function refusalOf(slug: string, body: McpServerInput, signal: AbortSignal): Promise<unknown> {
  try {
    const params = { path: { slug } };
    await call(api.POST('/api/workspaces/{slug}/mcp-servers/dry-run', { params, body, signal }));
    return null;
  } catch (error) {
    if (error instanceof ApiFailure) {
      return error.status === 409 || error.status === 422 ? error : null;
    }
    throw error;
  }
}
