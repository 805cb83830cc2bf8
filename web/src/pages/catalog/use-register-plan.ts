import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
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
  const queries = useQueryClient();
  const [registered, setRegistered] = useState<RegisteredServer[]>([]);
  const [failures, setFailures] = useState<Record<string, unknown>>({});
  const [outcome, setOutcome] = useState<'open' | 'pending' | 'all'>('open');
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
  return {
    registered,
    /** Why this server was refused in its current form; undefined once its text has changed. */
    failureOf: (server: PlannedServer): unknown => failures[whatIsSent(server)],
    outcome,
    isPending: outcome === 'pending',
    /** Whether all of them are registered. */
    async run(servers: readonly PlannedServer[]): Promise<boolean> {
      setOutcome('pending');
      setFailures({});
      let all = true;
      for (const server of servers) {
        all = (await register(server)) && all;
      }
      await queries.invalidateQueries({ queryKey: keys.mcpServers(slug) });
      setOutcome('open');
      return all;
    },
    finish: () => setOutcome('all'),
  };
}
