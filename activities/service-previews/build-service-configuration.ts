/**
 * What the service of a preview runs as: a workload of its own, whose agent is the service, with the network
 * of the session's agent. Pure; the references of secrets are those that the session froze.
 */
import { maxLimitSeconds } from '../../contract/agent.ts';
import { portVariable } from '../../contract/service-variables.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';

export interface ServiceSources {
  previewId: string;
  /** Of the session whose agent has the service. */
  session: FrozenConfiguration;
  service: FrozenConfiguration['services'][number];
  /** On which it is asked; it is told so. */
  port: number;
  /** Until its preview expires; the workload ends by itself a while later, if nobody ends it. */
  remainingSeconds: number;
  frozenAt: string;
}

/**
 * The id of the preview stands where a session's would: the workload, its token and its keys are of that id.
 */
export function buildServiceConfiguration(sources: ServiceSources): FrozenConfiguration {
  const { previewId, session, service, port, remainingSeconds, frozenAt } = sources;
  const total_seconds = Math.max(1, Math.min(maxLimitSeconds, Math.ceil(remainingSeconds)));
  const { id, network, egress_allow } = session.agent;
  return {
    session_id: previewId,
    workspace_id: session.workspace_id,
    agent: {
      ...{ id, name: service.name, kind: 'worker', run: service.run, image: service.image },
      ...{ instructions: '', model: null, network, egress_allow },
      env: { ...service.env, [portVariable]: { kind: 'value', value: String(port) } },
      limits: { total_seconds, idle_seconds: null },
    },
    prompt: '',
    servers: [],
    siblings: [],
    services: [],
    service: { port, session_id: session.session_id },
    has_operator: false,
    log_tool_payloads: false,
    frozen_at: frozenAt,
  };
}
