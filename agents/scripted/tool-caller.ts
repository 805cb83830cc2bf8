import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import type { ToolListing } from '../../contract/mcp-check.ts';
import { type CallResult, outcomeOfError, outcomeOfResult } from '../call-outcome.ts';
import { listTools, notConnected } from './list-tools.ts';

export interface ToolCaller {
  /** Calls `<server>.<tool>`, connecting first if needed. Never throws. */
  call(target: string, args: Record<string, unknown>): Promise<CallResult>;
  /** What the server says of its tools. Never throws. */
  list(server: string): Promise<ToolListing>;
  close(): Promise<void>;
}

/** Longer than any tool's own timeout. */
const callTimeoutMs = 900_000;

/** The next call reconnects a lost connection. */
export function createToolCaller(servers: AgentConfig['mcpServers']): ToolCaller {
  const clients = new Map<string, Client>();

  const connect = async (name: string): Promise<Client> => {
    const connected = clients.get(name);
    if (connected) {
      return connected;
    }
    const launch = servers[name];
    if (!launch) {
      throw new Error(`the agent has no server "${name}"`);
    }
    const client = new Client({ name: 'scripted-agent', version: '1' });
    client.onclose = () => void clients.delete(name);
    // The sidecar says when its server is too slow to start, with the reason; a limit of
    // the client would be first.
    await client.connect(new StdioClientTransport(launch), { timeout: callTimeoutMs });
    clients.set(name, client);
    return client;
  };

  return {
    async call(target, args) {
      const dot = target.indexOf('.');
      try {
        const client = await connect(target.slice(0, dot));
        const request = { name: target.slice(dot + 1), arguments: args };
        return outcomeOfResult(await client.callTool(request, { timeout: callTimeoutMs }));
      } catch (error) {
        return outcomeOfError(error);
      }
    },
    async list(server) {
      const client = await connect(server).catch(() => null);
      return client === null ? notConnected : listTools(client);
    },
    async close() {
      await Promise.allSettled([...clients.values()].map((client) => client.close()));
    },
  };
}
