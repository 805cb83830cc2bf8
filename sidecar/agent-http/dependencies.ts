import type { LiveText } from '../live-text/live-text.ts';
import type { ToolDependencies } from '../platform-tools/tool.ts';

/** The dependencies of the routes of the agent's socket. */
export interface AgentHttpDependencies extends Pick<ToolDependencies, 'api' | 'inbox' | 'lastRefusals'> {
  liveText: LiveText;
  limits: { eventBytes: number; artifactBytes: number };
}
