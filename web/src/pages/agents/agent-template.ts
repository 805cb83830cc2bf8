/** What a new agent can begin with, for a server whose tools it uses: the example's steps. Pure. */
import { exampleAgent, examplePrompt, exampleServer, hasExampleGates } from '../../../../contract/example.ts';
import type { McpServer } from '../../api/types.ts';
import { type AgentValues, newAgent } from './agent-values.ts';

export interface AgentTemplate {
  initial: AgentValues;
  /** Of the session that is started with it. */
  prompt: string;
}

/** Null for an entry that there is no template for. */
export const templateFor = (entry: Pick<McpServer, 'name' | 'manifest'> | undefined): AgentTemplate | null =>
  entry !== undefined && hasTemplate(entry)
    ? {
        initial: { ...newAgent, name: `my-${exampleAgent.name}`, instructions: exampleAgent.instructions },
        prompt: examplePrompt,
      }
    : null;

/** Whether an entry has the name and the gates that the steps of its template count on. */
export const hasTemplate = ({ name, manifest }: Pick<McpServer, 'name' | 'manifest'>): boolean =>
  name === exampleServer.name && hasExampleGates(manifest);
