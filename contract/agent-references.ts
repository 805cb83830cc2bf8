/** What an agent's own configuration refers to: secrets in its env and in its companions'. */
import type { Agent } from './agent.ts';
import type { FieldProblem } from './errors.ts';
import { referencedSecretName } from './names.ts';
import { type KnownSecret, secretRefusal } from './secret-use.ts';

type Configured = { [Field in 'env' | 'siblings' | 'services']?: Agent[Field] | undefined };

export interface SecretReference {
  /** Such as `env.API_TOKEN` or `siblings.0.env.API_TOKEN`. */
  path: string;
  secretName: string;
}

/** Every secret reference of zone 2, with its path. */
export function secretReferences({ env, siblings = [], services = [] }: Configured): SecretReference[] {
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
  return environments.flatMap(([path, variables]) =>
    Object.entries(variables).flatMap(([variable, text]) => {
      const secretName = referencedSecretName(text);
      return secretName === null ? [] : [{ path: `${path}.${variable}`, secretName }];
    }),
  );
}

/** References to secrets that are not set, and companions that share a name. Empty when valid. */
export function agentProblems(
  configured: Configured,
  secrets: ReadonlyMap<string, KnownSecret>,
): FieldProblem[] {
  const refused = secretReferences(configured).flatMap(({ path, secretName }) => {
    const refusal = secretRefusal(secretName, secrets.get(secretName), null);
    return refusal === null ? [] : [{ path, ...refusal }];
  });
  return [...refused, ...sharedNames(configured)];
}

function sharedNames({ siblings = [], services = [] }: Configured): FieldProblem[] {
  const named = [
    ...siblings.map(({ name }, at) => ({ name, path: `siblings.${at}.name` })),
    ...services.map(({ name }, at) => ({ name, path: `services.${at}.name` })),
  ];
  return named
    .filter(({ name }, at) => named.findIndex((other) => other.name === name) < at)
    .map(({ name, path }) => ({ path, code: 'duplicate', message: `"${name}" is used more than once` }));
}
