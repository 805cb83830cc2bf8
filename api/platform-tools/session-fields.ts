/** What the tools that work on other sessions have in common. */
import type { Agent } from '../../contract/agent.ts';
import { notForChildren } from '../../contract/remote-server-validation.ts';
import { listRemoteAttachments } from '../../store/attachments/read-for-launch.ts';
import { agentKindOf } from '../../store/sessions/agent-kind.ts';
import { readWhyUnavailable } from '../availability/why-unavailable.ts';
import { type ToolCaller, type ToolDependencies, ToolFailure } from './tool.ts';

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
