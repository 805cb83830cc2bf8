/**
 * Adds the agent `writer`, whose steps a model chooses, to the demo workspace where the caller has a key of a
 * model. Existing content stays as it is.
 */
import * as z from 'zod';
import { agentInput } from '../../contract/agent.ts';
import { type GrantInput, grantInput } from '../../contract/grant.ts';
import { defaultEndpointName } from '../../contract/model-endpoint.ts';
import type { ApiClient } from './api-client.ts';
import { demoSlug } from './demo-content.ts';
import { type AgentWithAttachments, addUnlessRefused, ensureAgent, ensureSecret } from './seed-demo.ts';

const secretName = 'MODEL_KEY';

const demoWriter: AgentWithAttachments = {
  agent: agentInput.parse({
    name: 'writer',
    run: { type: 'builtin', name: 'claude' },
    model: 'claude-sonnet-4-5',
    instructions:
      'You write short reports into the file report.md. Show the report as an artifact when it is written, and end the session with one sentence on it.',
    model_access: {
      endpoint: defaultEndpointName,
      api_key: `\${${secretName}}`,
      requests_per_session: 100,
      tokens_per_session: 500_000,
    },
  }),
  attachments: [{ name: 'files', env: {} }],
};

/**
 * What the API refuses, as where the package of the agent is not installed, is a line of `progress`: the rest
 * of the demo works without it.
 */
export const addDemoWriter = (
  ada: ApiClient,
  modelKey: string,
  progress: (line: string) => void,
): Promise<void> =>
  addUnlessRefused('no agent that asks a model', progress, async () => {
    if (await ensureSecret(ada, secretName, modelKey)) {
      // For no MCP server: any member could attach it to one that shows what it was given.
      await ada.send('PATCH', `/workspaces/${demoSlug}/secrets/${secretName}`, { allowed_servers: [] });
    }
    await ensureModelKeyGrant(ada, await ensureAgent(ada, demoWriter));
    progress(`The demo has an agent that asks a model: ${demoWriter.agent.name}`);
  });

/** A grant that an admin has revoked is not made again. */
async function ensureModelKeyGrant(ada: ApiClient, agentId: string): Promise<void> {
  const path = `/workspaces/${demoSlug}/grants`;
  const { grants } = z
    .object({ grants: z.array(z.unknown()) })
    .parse(
      await ada.send(
        'GET',
        `${path}?agent_subject_id=${agentId}&grant_type=model_key&include_revoked=true&limit=1`,
      ),
    );
  if (grants.length === 0) {
    const grant: GrantInput = grantInput.parse({
      agent_subject_id: agentId,
      grant_type: 'model_key',
      details: { secret_name: secretName, endpoint: defaultEndpointName },
      scope: 'persistent',
      reason: 'For the demo.',
    });
    await ada.send('POST', path, grant);
  }
}
