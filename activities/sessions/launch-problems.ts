/** Why a session may not start, as sentences for the operator. Pure. */
import { attachmentPatterns, attachmentProblems } from '../../contract/attachment-validation.ts';
import type { Manifest } from '../../contract/catalog.ts';
import type { JudgePattern, PatternTask } from '../../contract/patterns.ts';
import { forWorkersOnly, notForChildren } from '../../contract/remote-server-validation.ts';
import { reservedForAgents } from '../../contract/reserved-variables.ts';
import { type KnownSecret, secretRefusal } from '../../contract/secret-use.ts';
import type { FrozenConfiguration, FrozenEnv, FrozenServer } from '../../contract/session.ts';
import {
  attachmentConsumer,
  exposingConsumers,
  registryConsumer,
  secretVariablesOf,
  variableProblem,
} from '../secrets/consumers.ts';
import { modelAccessProblems } from './model-access-problems.ts';

export interface LaunchFacts {
  secrets: ReadonlyMap<string, KnownSecret>;
  /** Secrets that an active `agent_env` grant exposes to this agent. */
  exposedSecrets: ReadonlySet<string>;
  /** Secrets that an active `model_key` grant makes a key for this agent. */
  modelKeys: ReadonlySet<string>;
  /** Judges the tasks of `launchPatterns`, which were run before. */
  judge: JudgePattern;
  /** Nobody drives a child or a scheduled session. */
  hasOperator: boolean;
  isChild: boolean;
}

/** What has to be run before `launchProblems` can judge. */
export function launchPatterns({ servers }: FrozenConfiguration): PatternTask[] {
  return servers.flatMap((server) => attachmentPatterns(manifestOf(server), asEntered(server.env)));
}

/** Empty when the session may start. Attachments are checked against the manifests that were frozen with them. */
export function launchProblems(configuration: FrozenConfiguration, facts: LaunchFacts): string[] {
  return [
    ...configuration.servers.flatMap((server) => serverProblems(server, facts)),
    ...configuration.servers.flatMap((server) => registryProblems(server, facts)),
    ...configuration.servers.flatMap((server) => remoteProblems(server, configuration, facts)),
    ...reservedProblems(configuration),
    ...exposureProblems(configuration, facts),
    ...modelAccessProblems(configuration, facts),
  ];
}

function manifestOf({ manifest_env: env, tool_scopes }: FrozenServer): Manifest {
  return { env, tool_scopes };
}

function serverProblems(server: FrozenServer, { secrets, judge }: LaunchFacts): string[] {
  const { label } = attachmentConsumer(server);
  const { name } = server;
  const env = asEntered(server.env);
  const problems = attachmentProblems({ name, manifest: manifestOf(server), env, secrets, judge });
  return problems.map(({ path, message }) => variableProblem(label, path.replace(/^env\./, ''), message));
}

/** The pull secret of an image, by the same rule as a server's own. */
function registryProblems(server: FrozenServer, { secrets }: LaunchFacts): string[] {
  const consumer = registryConsumer(server);
  return secretVariablesOf(consumer).flatMap(({ variable, secretName }) => {
    const refusal = secretRefusal(secretName, secrets.get(secretName), server.name);
    return refusal === null ? [] : [variableProblem(consumer.label, variable, refusal.message)];
  });
}

/** Only an agent that a person drives acts as that person. */
function remoteProblems(
  { name, shape, sign_in }: FrozenServer,
  { agent }: FrozenConfiguration,
  { hasOperator, isChild }: LaunchFacts,
): string[] {
  if (shape.type !== 'remote') {
    return [];
  }
  if (isChild) {
    return [`"${name}" ${notForChildren}`];
  }
  return [
    ...(agent.kind === 'worker' ? [] : [`"${name}" ${forWorkersOnly}`]),
    ...(sign_in === null
      ? [`"${name}" is a remote server that is not ready; its page in the catalog says why`]
      : []),
    ...(sign_in === 'oauth' && !hasOperator
      ? [`"${name}" is used by the person who drives a session, and nobody drives this one`]
      : []),
  ];
}

/** The frozen environment in its saved form. */
function asEntered(env: FrozenEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, frozen]) => [
      name,
      frozen.kind === 'secret' ? `\${${frozen.secret_name}}` : frozen.value,
    ]),
  );
}

/** Agents saved before a variable was reserved. */
const reservedProblems = (configuration: FrozenConfiguration): string[] =>
  exposingConsumers(configuration).flatMap(({ label, env }) =>
    Object.keys(env).flatMap((variable) => {
      const why = reservedForAgents(variable);
      return why === null ? [] : [variableProblem(label, variable, why)];
    }),
  );

/** Zone 2 (docs/secrets.md#two-zones): a secret on the agent's side needs to be set, and an admin's explicit grant. */
function exposureProblems(configuration: FrozenConfiguration, facts: LaunchFacts): string[] {
  return exposingConsumers(configuration).flatMap((consumer) =>
    secretVariablesOf(consumer).flatMap(({ variable, secretName }) => {
      const refusal = secretRefusal(secretName, facts.secrets.get(secretName), null);
      const exposed = facts.exposedSecrets.has(secretName)
        ? null
        : `would expose secret ${secretName}, which needs an agent_env grant`;
      const why = refusal?.message ?? exposed;
      return why === null ? [] : [variableProblem(consumer.label, variable, why)];
    }),
  );
}
