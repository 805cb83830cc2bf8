/** Launches through the public API, as a person does: `POST` a session, and wait until it is running. */
import { performance } from 'node:perf_hooks';
import type { Agent } from '../../contract/agent.ts';
import type { Session, SessionStatus } from '../../contract/session.ts';
import { EventReader } from '../../test/support/event-stream.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startPlatform } from '../../test/support/platform.ts';

export interface LaunchTarget {
  /** Milliseconds from the request to running. The session has ended when this returns. */
  launch(): Promise<number>;
  close(): Promise<void>;
}

/** Stays idle, so that the session runs until it is terminated. */
const idleAgent = JSON.stringify({ steps: [{ sleep_seconds: 600 }] });

/** Starts the built platform with its own data and ports, with an agent that has the demo's `files` server attached. */
export async function openPlatform(): Promise<LaunchTarget> {
  const platform = await startPlatform({ env: { RATE_USER_PER_MINUTE: '100000' } });
  const cookie = await signIn(platform.url);
  const send = async <Body>(method: string, path: string, body: unknown): Promise<Body> => {
    const response = await fetch(new URL(path, platform.url), {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    }
    return (await response.json()) as Body;
  };
  const { agent } = await send<{ agent: Agent }>('POST', '/api/workspaces/demo/agents', {
    name: 'idle',
    run: { type: 'builtin', name: 'scripted' },
    instructions: idleAgent,
  });
  await send('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });

  return {
    async launch() {
      const startedMs = performance.now();
      const { session } = await send<{ session: Session }>('POST', '/api/workspaces/demo/sessions', {
        agent_id: agent.id,
        prompt: '',
      });
      const events = await EventReader.open(`${platform.url}/api/sessions/${session.id}/events`, { cookie });
      await reached(events, 'running');
      const tookMs = performance.now() - startedMs;
      await send('POST', `/api/sessions/${session.id}/terminate`, {});
      await reached(events, 'terminated');
      events.close();
      return tookMs;
    },
    close: () => platform.stop(),
  };
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(new URL('/api/auth/demo-sign-in', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@demo.test' }),
  });
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

const reached = (events: EventReader, status: SessionStatus) =>
  eventually(
    () => {
      if (
        !events.events.some(
          ({ type, payload }) => type === 'session.status_changed' && payload['to'] === status,
        )
      ) {
        throw new Error(`the session did not get to "${status}": ${JSON.stringify(events.events)}`);
      }
    },
    { everyMs: 2 },
  );
