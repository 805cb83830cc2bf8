/** The consumers of `${NAME}` references (docs/secrets.md#references), each with its display name. */
import { modelKeyVariable } from '../../contract/model-program.ts';
import type { FrozenConfiguration, FrozenEnv, FrozenServer } from '../../contract/session.ts';

export interface SecretConsumer {
  kind: 'mcp_attachment' | 'registry_credentials' | 'agent_env' | 'model_key' | 'sibling_env' | 'service_env';
  label: string;
  env: FrozenEnv;
}

type Named = { name: string; env: FrozenEnv };

export const attachmentConsumer = ({ name, env }: Named): SecretConsumer => ({
  kind: 'mcp_attachment',
  label: `attachment "${name}"`,
  env,
});

/** Credentials for reading a server's image; they never reach a container. */
export const registryConsumer = ({
  name,
  registry_credentials,
}: Pick<FrozenServer, 'name' | 'registry_credentials'>): SecretConsumer => ({
  kind: 'registry_credentials',
  label: `the image of "${name}"`,
  env: registry_credentials === null ? {} : { registry_secret: registry_credentials },
});

/** The key of the agent's access to a language model: for the model container alone, never the agent's. */
export const modelConsumer = ({ agent, service }: FrozenConfiguration): SecretConsumer => ({
  kind: 'model_key',
  label: "the agent's model access",
  env:
    agent.model_access === undefined || service !== undefined
      ? {}
      : { [modelKeyVariable]: agent.model_access.api_key },
});

/** In the workload of a preview's service that is the service. */
export const agentConsumer = ({ agent, service }: FrozenConfiguration): SecretConsumer =>
  service === undefined
    ? { kind: 'agent_env', label: "the agent's environment", env: agent.env }
    : serviceConsumer(agent);

export const siblingConsumer = ({ name, env }: Named): SecretConsumer => ({
  kind: 'sibling_env',
  label: `sibling "${name}"`,
  env,
});

export const serviceConsumer = ({ name, env }: Named): SecretConsumer => ({
  kind: 'service_env',
  label: `service "${name}"`,
  env,
});

/** Zone 2 (docs/secrets.md#two-zones): consumers that expose a secret to the agent's side, so that an explicit grant is needed. */
export function exposingConsumers(configuration: FrozenConfiguration): SecretConsumer[] {
  return [
    agentConsumer(configuration),
    ...configuration.siblings.map(siblingConsumer),
    ...configuration.services.map(serviceConsumer),
  ];
}

export interface SecretVariable {
  variable: string;
  secretName: string;
  secretVersion: number;
}

export function secretVariablesOf({ env }: SecretConsumer): SecretVariable[] {
  return Object.entries(env).flatMap(([variable, value]) =>
    value.kind === 'secret'
      ? [{ variable, secretName: value.secret_name, secretVersion: value.secret_version }]
      : [],
  );
}

/** What is wrong with one variable, as a sentence for the operator; `why` says it of the variable, such as "needs ...". */
export const variableProblem = (label: string, variable: string, why: string) =>
  `${label}: variable ${variable} ${why}`;
