/**
 * Scripted agents that start sessions of other agents: their steps, and the orchestrators that follow them.
 */
import type { Agent } from '../../contract/agent.ts';
import type { InputMessage } from '../../contract/agent-contract.ts';
import type { Session } from '../../contract/session.ts';
import type { FrontDoor } from './front-door.ts';

/** A value that an earlier step saved. */
export const saved = (variable: string) => ({ $saved: variable });
type Saved = ReturnType<typeof saved>;

/** Waits for a message of a kind. */
export const hear = (kind: InputMessage['kind'], contains: string) => ({
  wait_for_message: { kind, contains, timeout_seconds: 600 },
});

/** Starts a session of an agent, and saves its id where a name is given for it. */
export const spawn = (agentId: string, { saveAs }: { saveAs?: string } = {}) => ({
  call: 'platform.spawn_session',
  arguments: { agent_id: agentId, prompt: 'go', ...(saveAs === undefined ? {} : { label: saveAs }) },
  ...(saveAs === undefined ? {} : { save: { [saveAs]: 'session_id' } }),
});

/** Tries to start a session. */
export const failToSpawn = (agentId: string, code: string) => ({ ...spawn(agentId), expect: code });

export const askToSpawn = (agentId: string) => ({
  call: 'platform.request_grant',
  arguments: {
    grant_type: 'spawn',
    details: { child_agent_id: agentId },
    scope: 'session',
    justification: 'To share the work.',
  },
});

/** Asks for a spawn grant, and waits until a person has approved it. */
export const getToSpawn = (agentId: string) => [
  askToSpawn(agentId),
  hear('permission_decision', 'was approved'),
];

export const tellChild = (sessionId: Saved | string, text: string) => ({
  call: 'platform.inject_message',
  arguments: { session_id: sessionId, text },
});

export const tellCaller = (text: string) => ({ call: 'platform.message_caller', arguments: { text } });

/** Reads a child again and again until a value of the answer is as it should be. */
export const readUntil = (
  sessionId: Saved,
  wanted: { path: string; equals: unknown },
  { after, save }: { after?: Saved; save?: Record<string, string> } = {},
) => ({
  call: 'platform.read_child_output',
  arguments: { session_id: sessionId, wait_seconds: 5, ...(after === undefined ? {} : { after }) },
  repeat_until: { ...wanted, every_seconds: 1, timeout_seconds: 300 },
  ...(save === undefined ? {} : { save }),
});

export const end = (summary: string) => ({
  call: 'platform.end_session',
  arguments: { outcome: 'completed', summary },
});

/** A scripted agent that may start sessions, as far as people allow. */
export async function createOrchestrator(
  door: FrontDoor,
  name: string,
  steps: unknown[],
  attachments: Record<string, Record<string, string>> = {},
): Promise<Agent> {
  const agent = await door.createAgent(name, steps, attachments);
  await door.ok('PATCH', `/api/agents/${agent.id}`, { kind: 'orchestrator' });
  return agent;
}

/** Every session below one, the oldest first. */
export async function sessionsBelow(door: FrontDoor, sessionId: string): Promise<Session[]> {
  const { sessions } = await door.ok<{ sessions: Session[] }>('GET', `/api/sessions/${sessionId}/children`);
  return sessions.toReversed();
}
