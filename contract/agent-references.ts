/**
 * What an agent's own configuration refers to: secrets in its env, in its companions' and
 * in its access to a model.
 */
import type { Agent } from './agent.ts';
import type { FieldProblem } from './errors.ts';
import { referencedSecretName } from './names.ts';
import { type KnownSecret, secretRefusal } from './secret-use.ts';

type Configured = {
  [Field in 'env' | 'siblings' | 'services' | 'model_access']?: Agent[Field] | undefined;
};

type Companion = Pick<Agent['services'][number], 'name'>;

export interface SecretReference {
  /** Such as `env.API_TOKEN` or `siblings.0.env.API_TOKEN`. */
  path: string;
  secretName: string;
}

/** Every secret reference, with its path: zone 2, and the key of the access to a model. */
export function secretReferences({
  env,
  siblings = [],
  services = [],
  model_access,
}: Configured): SecretReference[] {
  const environments: [string, Readonly<Record<string, string>>][] = [
    ['env', env ?? {}],
    ...siblings.map((companion, at): [string, Record<string, string>] => [
      `siblings.${at}.env`,
      companion.env,
    ]),
    ...services.map((companion, at): [string, Record<string, string>] => [
      `services.${at}.env`,
      companion.env,
    ]),
  ];
  const key = model_access?.api_key;
  return [...environments, ['model_access', key === undefined ? {} : { api_key: key }] as const].flatMap(
    ([path, variables]) =>
      Object.entries(variables).flatMap(([variable, text]) => {
        const secretName = referencedSecretName(text);
        return secretName === null ? [] : [{ path: `${path}.${variable}`, secretName }];
      }),
  );
}

/** Said of `model_access`, at save and at launch. */
export const claudeNeedsModel = 'is required: the built-in agent "claude" asks a language model';

/** The built-in agent `claude` is nothing without a model. */
export function modelProblems({ run, model_access }: Pick<Agent, 'run' | 'model_access'>): FieldProblem[] {
  return run.type === 'builtin' && run.name === 'claude' && model_access === null
    ? [{ path: 'model_access', code: 'required', message: claudeNeedsModel }]
    : [];
}

/**
 * References to secrets that are not set, and companions that share a name, also with one of
 * `kept`. Empty when valid.
 */
export function agentProblems(
  configured: Configured,
  secrets: ReadonlyMap<string, KnownSecret>,
  kept: readonly Companion[] = [],
): FieldProblem[] {
  const refused = secretReferences(configured).flatMap(({ path, secretName }) => {
    const refusal = secretRefusal(secretName, secrets.get(secretName), null);
    return refusal === null ? [] : [{ path, ...refusal }];
  });
  return [...refused, ...sharedNames(configured, kept)];
}

function sharedNames(
  { siblings = [], services = [] }: Configured,
  kept: readonly Companion[],
): FieldProblem[] {
  const taken = new Set(kept.map(({ name }) => name));
  const named = [
    ...siblings.map(({ name }, at) => ({ name, path: `siblings.${at}.name` })),
    ...services.map(({ name }, at) => ({ name, path: `services.${at}.name` })),
  ];
  return named
    .filter(({ name }, at) => taken.has(name) || named.findIndex((other) => other.name === name) < at)
    .map(({ name, path }) => ({ path, code: 'duplicate', message: `"${name}" is used more than once` }));
}
