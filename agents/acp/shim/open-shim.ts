/**
 * All connections of an agent to its MCP servers, through this one process: the agent starts relays that
 * lead to sockets of its own.
 */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../../../contract/agent-contract.ts';
import { platformServerName } from '../../../contract/platform-server-name.ts';
import type { RunStep } from '../../model/run-step.ts';
import { platformTool } from '../../model/tool-names.ts';
import { ServerLink } from './server-link.ts';

type Launches = AgentConfig['mcpServers'];

export interface Shim {
  /** What the agent starts in place of the servers that it was given. */
  launches: Launches;
  /** Servers whose tools the agent has not asked for. */
  unlisted(): string[];
  /** Of a program that was ended: what it left behind would keep a server from the next one. */
  disconnect(): void;
  close(): Promise<void>;
}

interface ShimOptions {
  servers: Launches;
  maxWaitSeconds: number;
  listLimitMs?: number;
  /** Of `platform`: each call and its result. */
  onStep(step: RunStep & { type: 'call' | 'result' }): void;
}

/** Of a program that starts relays without end. */
const maxConnections = 16;

export async function openShim({
  servers,
  maxWaitSeconds,
  // Shorter than what is asked waits for a connection.
  listLimitMs = 15_000,
  onStep,
}: ShimOptions): Promise<Shim> {
  const directory = await mkdtemp(join(tmpdir(), 'shim-'));
  const listed = new Set<string>();
  const open = new Set<Socket>();
  let count = 0;
  const serve = (server: string, address: string) => (agent: Socket) => {
    count += 1;
    const link = count;
    const isPlatform = server === platformServerName;
    open.add(agent);
    void new ServerLink(agent, {
      ...{ server, maxWaitSeconds, listLimitMs },
      connect: () => connected(address),
      onListed: () => listed.add(server),
      onCall(id, tool) {
        if (isPlatform) {
          onStep({ type: 'call', id: `${link}/${id}`, tool: platformTool(tool) });
        }
      },
      onAnswer(id, answer) {
        if (isPlatform) {
          onStep({ type: 'result', id: `${link}/${id}`, ...answer });
        }
      },
    })
      .run()
      .finally(() => open.delete(agent));
  };
  const listeners: Server[] = [];
  const launches: Launches = {};
  for (const [at, [server, launch]] of Object.entries(servers).entries()) {
    const path = join(directory, `${at}.sock`);
    const listener = createServer({ allowHalfOpen: false }, serve(server, addressOf(launch)));
    listener.maxConnections = maxConnections;
    listener.listen(path);
    await once(listener, 'listening');
    listeners.push(listener);
    launches[server] = {
      ...launch,
      args: launch.args.map((text) => (isAddress(text) ? `${prefix}${path}` : text)),
    };
  }
  const disconnect = () => {
    for (const socket of open) {
      socket.destroy();
    }
  };
  return {
    launches,
    unlisted: () => Object.keys(servers).filter((server) => !listed.has(server)),
    disconnect,
    async close() {
      for (const listener of listeners) {
        listener.close();
      }
      disconnect();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** How a relay is told its socket (docs/agent-contract.md#what-is-there-when-the-agent-starts). */
const prefix = 'UNIX-CONNECT:';
const isAddress = (text: string) => text.startsWith(prefix);

function addressOf({ args }: Launches[string]): string {
  const address = args.find(isAddress);
  if (address === undefined) {
    throw new Error('an MCP server is reached by something other than a relay');
  }
  return address.slice(prefix.length);
}

async function connected(path: string): Promise<Socket> {
  const socket = connect(path);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}
