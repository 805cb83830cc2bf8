/** The tool `spawn_session`, which agents another session may start, and what an agent does next. */
import * as z from 'zod';
import { spawnSession as spawn } from '../../commands/sessions/create.ts';
import type { Agent } from '../../contract/agent.ts';
import { askOnce } from '../../contract/how-to-ask.ts';
import { uuid } from '../../contract/names.ts';
import { adds } from '../../contract/platform-tools.ts';
import { notForChildren } from '../../contract/remote-server.ts';
import { type Session, sessionInput, sessionStatus } from '../../contract/session.ts';
import { isStorable, storable } from '../../contract/stored-data.ts';
import { readAgent } from '../../store/agents/agents.ts';
import { listRemoteAttachments } from '../../store/attachments/read-for-launch.ts';
import { agentKindOf } from '../../store/sessions/sessions.ts';
import { childIdOf, readChild } from '../../store/sessions/tree.ts';
import { readWhyUnavailable } from '../availability.ts';
import { beginSession } from '../sessions/start-session.ts';
import { callToRead, orRest } from './read-child-output.ts';
import { defineTool, type ToolCall, type ToolCaller, type ToolDependencies, ToolFailure } from './tool.ts';

export const spawnSession = defineTool({
  name: 'spawn_session',
  title: 'Start a session of another agent',
  annotations: adds,
  description:
    'Starts a session of another agent of the workspace, as a child of this one, and returns at once. It works on its own, with its own servers and permissions: it has none of yours, and asks a person for what it lacks. Read what it does with read_child_output; when it ends, a message says so. It ends with this session at the latest. You need a permission to start that agent: list_spawnable_agents shows which you have. Without one this fails with permission_required, and the message says how to ask: once, with request_permission. Then call this again.',
  input: z.strictObject({
    agent_id: uuid,
    prompt: sessionInput.shape.prompt.refine(isStorable, storable).describe('What the child is to do'),
    label: z
      .string()
      .min(1)
      .max(100)
      .refine(isStorable, storable)
      .optional()
      .describe('What people see it called in the tree of sessions'),
  }),
  output: z.strictObject({
    session_id: uuid,
    status: sessionStatus,
    next_step: z.string().describe('What to do now'),
  }),
  example: {
    input: {
      agent_id: '5f4e3d2c-1b0a-4f9e-8d7c-6b5a4f3e2d1c',
      prompt: 'Summarise the open tickets of this week.',
      label: 'tickets',
    },
    output: {
      session_id: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
      status: 'pending',
      next_step:
        'Call read_child_output of the platform server with {"session_id":"9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a","wait_seconds":20} to follow it, or do other work, or end your turn: a message says when it has ended.',
    },
  },
  async run(input, caller, dependencies) {
    const session = await start(input, caller, dependencies);
    await beginSession(dependencies, session);
    return { session_id: session.id, status: session.status, next_step: afterSpawn(session.id) };
  },
});

/** Throws ToolFailure, and QuotaExceededError. */
async function start(
  { agent_id: childAgentId, prompt, label }: { agent_id: string; prompt: string; label?: string | undefined },
  caller: ToolCall,
  dependencies: ToolDependencies,
): Promise<Session> {
  const { db, config } = dependencies;
  const call = { parentSessionId: caller.id, callId: caller.call_id };
  const known = await readChild(db, caller.id, childIdOf(caller.id, caller.call_id));
  if (known !== null) {
    return known;
  }
  await requireOrchestrator(caller, dependencies);
  const agent = await readAgent(db, childAgentId);
  if (agent?.workspace_id !== caller.workspace_id) {
    throw noSuchAgent();
  }
  const why = await whyNotAsChild(agent, dependencies);
  if (why !== null) {
    throw new ToolFailure('not_allowed', `agent_id: it cannot be started by a session: ${why}`);
  }
  const spawned = await spawn(db, { ...call, childAgentId, prompt, label: label ?? null }, config);
  switch (spawned.result) {
    case 'permission_required':
      throw new ToolFailure(
        'permission_required',
        `No person has allowed this agent to start ${childAgentId}. ${askToSpawn(childAgentId)}`,
      );
    case 'no_such_agent':
      throw noSuchAgent();
    case 'agent_archived':
      throw new ToolFailure('not_allowed', 'agent_id: it cannot be started by a session: it is archived');
    case 'session_ended':
      throw new ToolFailure('not_allowed', 'The session has ended, so it starts no other');
    case 'spawned':
      return spawned.session;
  }
}

const noSuchAgent = () => new ToolFailure('not_found', 'agent_id: there is no such agent in this workspace');

/** Throws ToolFailure unless the session's agent is an orchestrator, as the session froze it. */
export async function requireOrchestrator(caller: ToolCaller, { db }: ToolDependencies): Promise<void> {
  if ((await agentKindOf(db, caller.id)) !== 'orchestrator') {
    throw new ToolFailure(
      'not_allowed',
      'Only an agent of the kind "orchestrator" starts sessions; this one is a worker: do the work itself',
    );
  }
}

/** Why sessions of this agent cannot be started by another session; null when they can. */
export async function whyNotAsChild(agent: Agent, dependencies: ToolDependencies): Promise<string | null> {
  if (agent.archived_at !== null) {
    return 'it is archived';
  }
  const [remote] = await listRemoteAttachments(dependencies.db, agent.id);
  if (remote !== undefined) {
    return `"${remote}" ${notForChildren}`;
  }
  return (await readWhyUnavailable(dependencies, [agent]))(agent);
}

/** What an agent does next; a model that is not told asks again at once. */
export const askToSpawn = (childAgentId: string) =>
  askOnce({ grant_type: 'spawn', details: { child_agent_id: childAgentId }, scope: 'session' });

const afterSpawn = (id: string) => `${callToRead({ session_id: id })} to follow it, ${orRest}`;
