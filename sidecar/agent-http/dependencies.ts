import type { ToolDependencies } from '../platform-tools/tool.ts';

/** The dependencies of the routes of the agent's socket. */
export interface AgentHttpDependencies extends Pick<ToolDependencies, 'api' | 'inbox' | 'lastRefusals'> {
  limits: { eventBytes: number; artifactBytes: number };
}
