import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import type { PlannedServer } from './import-plan.ts';

export interface RegisteredServer {
  key: string;
  name: string;
  /** Variables that a secret fills in. */
  secrets: string[];
}

const whatIsSent = ({ input }: PlannedServer) => JSON.stringify(input);

/** Registers planned servers one after another; one that fails does not keep the others back. */
export function useRegisterPlan(slug: string) {
  const [registered, setRegistered] = useState<RegisteredServer[]>([]);
  const [failures, setFailures] = useState<Record<string, unknown>>({});
  const [isFinished, setFinished] = useState(false);
  const register = async (server: PlannedServer): Promise<boolean> => {
    const { key, input, variables } = server;
    try {
      await call(api.POST('/api/workspaces/{slug}/mcp-servers', { params: { path: { slug } }, body: input }));
    } catch (error) {
      setFailures((before) => ({ ...before, [whatIsSent(server)]: error }));
      return false;
    }
    const secrets = variables.filter(({ kind }) => kind === 'secret').map(({ name }) => name);
    setRegistered((before) => [...before, { key, name: input.name, secrets }]);
    return true;
  };
  const run = useApiMutation({
    async send(servers: readonly PlannedServer[]): Promise<number> {
      setFailures({});
      let count = 0;
      for (const server of servers) {
        count += (await register(server)) ? 1 : 0;
      }
      return count;
    },
    invalidates: [keys.mcpServers(slug)],
  });
  return {
    registered,
    /** Why this server was refused in its current form; undefined once its text has changed. */
    failureOf: (server: PlannedServer): unknown => failures[whatIsSent(server)],
    isPending: run.isPending,
    /** Resolves to how many of them are registered. */
    run: run.mutateAsync,
    isFinished,
    finish: () => setFinished(true),
    /** Back to what was not registered. */
    reopen: () => setFinished(false),
  };
}
