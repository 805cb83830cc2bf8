import { expect, it } from '@jest/globals';
import { buildServiceConfiguration } from '../../../../activities/service-previews/build-service-configuration.ts';
import { frozenConfiguration } from '../../../../contract/session.ts';
import { configuration, serverNamed } from '../../../support/frozen-configuration.ts';
import { frozenService } from '../../../support/service-previews.ts';

const previewId = '00000000-0000-4000-8000-00000000000a';
const frozenAt = '2026-01-02T00:00:00Z';

it('a service is given its own environment and the network of its agent, and nothing else of the session', () => {
  const secret = { kind: 'secret', secret_name: 'WEB_TOKEN', secret_version: 3 } as const;
  const service = frozenService('web', { TOKEN: secret });
  const egress_allow = ['api.example.com:443'];
  const env = { ONLY: { kind: 'value', value: 'the agent' } } as const;
  const session = configuration({
    prompt: 'the prompt',
    servers: [serverNamed('files')],
    siblings: [frozenService('other')],
    services: [service, frozenService('api')],
    log_tool_payloads: true,
    agent: { network: 'internet', egress_allow, env, model: 'the model', instructions: 'the instructions' },
  });
  const built = buildServiceConfiguration({
    previewId,
    session,
    service,
    port: 9000,
    remainingSeconds: 59.2,
    frozenAt,
  });
  expect(frozenConfiguration.parse(built)).toEqual(built);
  expect(built).toEqual({
    ...{ session_id: previewId, workspace_id: session.workspace_id, frozen_at: frozenAt },
    ...{ prompt: '', servers: [], siblings: [], services: [] },
    ...{ has_operator: false, log_tool_payloads: false },
    service: { port: 9000, session_id: session.session_id },
    agent: {
      ...{ id: session.agent.id, name: 'web', kind: 'worker', run: service.run, image: null },
      ...{ instructions: '', model: null, network: 'internet', egress_allow },
      env: { TOKEN: secret, PORT: { kind: 'value', value: '9000' } },
      limits: { total_seconds: 60, idle_seconds: null },
    },
  });
});
