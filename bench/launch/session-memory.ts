/** Memory of one session that does nothing, by kind of process, as /proc has it. Linux only. */
import { readFileSync, readlinkSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../contract/session.ts';
import { processesMentioning } from '../../test/support/processes.ts';
import { childrenOf, memoryOf } from '../gate/process-figures.ts';
import type { PlatformClient } from '../shared/client.ts';
import { until } from '../shared/until.ts';
import { addAgent, idleStep } from './on-the-platform.ts';
import { kindOf, type ProcessKind } from './process-kind.ts';

export type SessionMemory = Readonly<Partial<Record<ProcessKind, { processes: number; pssBytes: number }>>>;

/** What a program gives back by itself some time after its last work is not counted. */
const settleMs = 20_000;
const inTime = { everyMs: 100, limitMs: 120_000 };
const second = { name: 'second', shape: { type: 'command', command: 'mcp-server-everything', args: [] } };

/** Both servers run and are connected when it is read. */
export async function measureSessionMemory(client: PlatformClient): Promise<SessionMemory> {
  await addSecondServer(client);
  const steps = [
    { call: 'files.list_allowed_directories' },
    { call: 'second.echo', arguments: { message: 'hello' } },
    { call: 'platform.emit_status', arguments: { status: 'idle' } },
    idleStep,
  ];
  const agentId = await addAgent(client, 'with-two-servers', steps, { files: {}, second: {} });
  const { session } = await client.send<{ session: Session }>('POST', '/api/workspaces/demo/sessions', {
    ...{ agent_id: agentId, prompt: '' },
  });
  const events = await client.eventsOf(session.id);
  const isIdle = await until(() => events.events.some(({ type }) => type === 'agent.status'), inTime);
  events.close();
  if (!isIdle) {
    throw new Error(`the session with two servers came no further than ${JSON.stringify(events.events)}`);
  }
  await sleep(settleMs);
  const memory = await readMemory(session.id);
  await client.send('POST', `/api/sessions/${session.id}/terminate`, {});
  return memory;
}

/** With the internet, which takes one process more. A machine that has no safe way to it refuses that. */
async function addSecondServer(client: PlatformClient): Promise<void> {
  const add = (network: 'internet' | 'none') =>
    client.send('POST', '/api/workspaces/demo/mcp-servers', { ...second, manifest: {}, network });
  await add('internet').catch(() => add('none'));
}

async function readMemory(sessionId: string): Promise<SessionMemory> {
  const hosts = await processesMentioning(resolve('dist/session-host.js'));
  const host = hosts.find(({ pid }) => basename(readlinkSync(`/proc/${pid}/cwd`)) === sessionId);
  if (host === undefined) {
    throw new Error('the session has no host that runs');
  }
  const found: Record<string, { processes: number; pssBytes: number }> = {};
  for (const pid of withDescendants(host.pid)) {
    const kind = kindOf(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'));
    const { processes, pssBytes } = found[kind] ?? { processes: 0, pssBytes: 0 };
    found[kind] = { processes: processes + 1, pssBytes: pssBytes + memoryOf(pid).pssBytes };
  }
  return found;
}

const withDescendants = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(withDescendants)];
