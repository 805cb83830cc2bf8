/** A platform with one session, whose agent asks for one approval after the other. */
import type { Agent } from '../../contract/agent.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { startPlatform } from '../../test/support/platform.ts';
import { signInToDemo } from '../shared/client.ts';
import { roomyLimits } from '../shared/roomy-limits.ts';
import { until } from '../shared/until.ts';
import type { AgentTask } from './agent.ts';
import { commandLineOf } from './command-line.ts';

export interface AskingSession {
  sessionId: string;
  /** Waits until the agent asks for the next one. */
  asked(): Promise<void>;
  /** Milliseconds from the click to the call's arrival at the server. */
  approve(): Promise<number>;
  /** Waits for the calls without a grant that follow the last approval; returns how many were answered. */
  calls(): Promise<number>;
  close(): Promise<void>;
}

const inTime = { everyMs: 20, limitMs: 600_000 };

export async function openAskingSession(temporalAddress: string, task: AgentTask): Promise<AskingSession> {
  const platform = await startPlatform({ env: { ...roomyLimits, TEMPORAL_ADDRESS: temporalAddress } });
  try {
    return await startAsking(platform, task);
  } catch (error) {
    await platform.stop();
    throw error;
  }
}

async function startAsking(
  platform: Awaited<ReturnType<typeof startPlatform>>,
  task: AgentTask,
): Promise<AskingSession> {
  const client = await signInToDemo(platform.url);
  await client.send('POST', '/api/workspaces/demo/mcp-servers', {
    ...{ name: 'clock', shape: await commandLineOf('server'), network: 'none' },
    manifest: { tool_scopes: { gated: 'bench.call' } },
  });
  const { agent } = await client.send<{ agent: Agent }>('POST', '/api/workspaces/demo/agents', {
    ...{ name: 'asking', run: await commandLineOf('agent'), instructions: JSON.stringify(task) },
  });
  await client.send('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'clock', env: {} });
  const { session } = await client.send<{ session: Session }>('POST', '/api/workspaces/demo/sessions', {
    ...{ agent_id: agent.id, prompt: '' },
  });
  const { events, close } = await client.eventsOf(session.id).then((reader) => ({
    events: reader.events,
    close: () => reader.close(),
  }));
  const requests = () => events.filter(({ type }) => type === 'agent.permission_request');
  const statuses = (name: string) =>
    events.filter(({ type, payload }) => type === 'agent.status' && payload['status'] === name);
  const found = async (what: string, list: () => SessionEvent[], count: number): Promise<SessionEvent> => {
    await until(() => list().length >= count, inTime);
    const event = list()[count - 1];
    if (event === undefined) {
      throw new Error(`the session came to no ${what}; its last events: ${JSON.stringify(events.slice(-3))}`);
    }
    return event;
  };
  let approvals = 0;
  return {
    sessionId: session.id,
    async asked() {
      await found('request', requests, approvals + 1);
    },
    async approve() {
      const { payload } = await found('request', requests, approvals + 1);
      approvals += 1;
      const { permission_request: request } = await client.send<{ permission_request: PermissionRequest }>(
        'GET',
        `/api/workspaces/demo/permission-requests/${payload['request_id']}`,
      );
      const grant = {
        ...{ agent_subject_id: agent.id, grant_type: 'tool_scope', details: payload['details'] },
        ...{ scope: 'once', request_id: request.id, call_digest: request.refused_call?.digest ?? undefined },
      };
      const clickedNs = process.hrtime.bigint();
      await client.send('POST', '/api/workspaces/demo/grants', grant);
      const arrived = await found('approved call', () => statuses('arrived'), approvals);
      return Number(BigInt(String(arrived.payload['detail'])) - clickedNs) / 1e6;
    },
    async calls() {
      return Number((await found('end of its calls', () => statuses('finished'), 1)).payload['detail']);
    },
    async close() {
      close();
      await platform.stop();
    },
  };
}
