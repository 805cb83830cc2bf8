/** Agents as people read them: with why this installation cannot start one. */
import { z } from 'zod';
import { type Agent, agent } from '../../../contract/agent.ts';

export const shownAgent = agent.extend({
  /** No session of it starts, for this reason of its own or of an MCP server of it; null when they can. */
  unavailable: z.strictObject({ reason: z.string() }).nullable(),
});

export function presentAgent(
  shown: Agent,
  whyUnavailable: (agent: Agent) => string | null,
): z.infer<typeof shownAgent> {
  const reason = whyUnavailable(shown);
  return { ...shown, unavailable: reason === null ? null : { reason } };
}
