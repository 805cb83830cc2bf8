import type { ToolParts } from '../platform-tools/tool.ts';

/** The dependencies of the routes of the agent's socket. */
export interface AgentHttpParts extends Pick<ToolParts, 'api' | 'inbox' | 'refusedCalls'> {
  limits: { eventBytes: number; artifactBytes: number };
}
