import type { ToolParts } from '../platform-tools/tool.ts';

/** What the routes of the agent's socket work with. */
export interface AgentHttpParts extends Pick<ToolParts, 'api' | 'inbox' | 'refusedCalls'> {
  limits: { eventBytes: number; artifactBytes: number };
}
