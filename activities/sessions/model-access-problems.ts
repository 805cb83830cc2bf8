/** Why a session may not start with its agent's access to a language model. Pure. */
import { claudeNeedsModel } from '../../contract/agent-references.ts';
import { type KnownSecret, secretRefusal } from '../../contract/secret-use.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';

/** The secret that is the key; none for an agent without access, and for the workload of a preview's service. */
export function modelKeysOf({ agent: { model_access: access } }: FrozenConfiguration): string[] {
  return access === undefined ? [] : [access.api_key.secret_name];
}

/** The key needs to be set, and an admin's explicit grant; the built-in agent `claude` needs the access. */
export function modelAccessProblems(
  configuration: FrozenConfiguration,
  { secrets, modelKeys }: { secrets: ReadonlyMap<string, KnownSecret>; modelKeys: ReadonlySet<string> },
): string[] {
  const { run, model_access: access } = configuration.agent;
  if (access === undefined) {
    return run.type === 'builtin' && run.name === 'claude' ? [`model_access ${claudeNeedsModel}`] : [];
  }
  return modelKeysOf(configuration).flatMap((name) => {
    const granted = modelKeys.has(name) ? null : `would use secret ${name}, which needs a model_key grant`;
    const why = secretRefusal(name, secrets.get(name), null)?.message ?? granted;
    return why === null ? [] : [`the agent's model access: api_key ${why}`];
  });
}
