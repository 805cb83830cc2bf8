/** Agents as people read them: with why this installation cannot start one. */
import * as z from 'zod';
import { type Agent, agent } from '../../../contract/agent.ts';

export const shownAgent = agent.extend({
  /** Why its sessions cannot start, because of the agent or one of its MCP servers; null when they can. */
  unavailable: z.strictObject({ reason: z.string() }).nullable(),
});

export function presentAgent(
  shown: Agent,
  whyUnavailable: (agent: Agent) => string | null,
): z.infer<typeof shownAgent> {
  const reason = whyUnavailable(shown);
  return { ...shown, unavailable: reason === null ? null : { reason } };
}
