/** Launches through the public API, as a person does: `POST` a session, and wait until it is running. */
import type { Agent } from '../../contract/agent.ts';
import { isTerminal, type Session, sessionStatus } from '../../contract/session.ts';
import type { EventReader } from '../../test/support/event-stream.ts';
import { startPlatform } from '../../test/support/platform.ts';
import { type PlatformClient, signInToDemo } from '../shared/client.ts';
import { roomyLimits } from '../shared/roomy-limits.ts';
import { until } from '../shared/until.ts';
import type { Launched, LaunchTarget } from './launch-target.ts';

export interface PlatformTarget extends LaunchTarget {
  client: PlatformClient;
}

/** Stays idle, so that the session runs until it is terminated. */
export const idleStep = { sleep_seconds: 3600 };
const limitMs = 180_000;

/**
 * Starts the built platform with its own data and ports, with an agent that has the demo's
 * `files` server attached.
 */
export async function openPlatform(): Promise<PlatformTarget> {
  const platform = await startPlatform({ env: { ...roomyLimits } });
  const client = await signInToDemo(platform.url);
  const agentId = await addAgent(client, 'idle', [idleStep], { files: {} });
  return {
    client,
    prepare: (everyMs) => () => startSession(client, agentId, everyMs),
    close: () => platform.stop(),
  };
}

/** A scripted agent; returns its id. */
export async function addAgent(
  client: PlatformClient,
  name: string,
  steps: readonly object[],
  attachments: Readonly<Record<string, object>>,
): Promise<string> {
  const { agent } = await client.send<{ agent: Agent }>('POST', '/api/workspaces/demo/agents', {
    ...{ name, run: { type: 'builtin', name: 'scripted' }, instructions: JSON.stringify({ steps }) },
  });
  for (const [server, env] of Object.entries(attachments)) {
    await client.send('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: server, env });
  }
  return agent.id;
}

async function startSession(client: PlatformClient, agentId: string, everyMs: number): Promise<Launched> {
  const { session } = await client.send<{ session: Session }>('POST', '/api/workspaces/demo/sessions', {
    ...{ agent_id: agentId, prompt: '' },
  });
  const events = await client.eventsOf(session.id);
  await until(() => hasRun(events) || hasEnded(events), { everyMs, limitMs });
  const ranAtMs = hasRun(events) ? performance.now() : null;
  return {
    ranAtMs,
    async end() {
      if (!hasEnded(events)) {
        await client.send('POST', `/api/sessions/${session.id}/terminate`, {});
        await until(() => hasEnded(events), { everyMs, limitMs });
      }
      events.close();
    },
  };
}

const statuses = ({ events }: EventReader) =>
  events
    .filter(({ type }) => type === 'session.status_changed')
    .map(({ payload }) => sessionStatus.parse(payload['to']));
const hasRun = (events: EventReader) => statuses(events).includes('running');
const hasEnded = (events: EventReader) => statuses(events).some(isTerminal);
