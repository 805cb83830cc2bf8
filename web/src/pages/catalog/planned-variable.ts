/** A variable of a server that is imported: its kind, and what the manifest will say of it. */
import type { Manifest } from '../../api/types.ts';
import { nameLooksSecret, valueLooksSecret } from '../../text/secret-looks.ts';

export type VariableKind = 'secret' | 'value';

export interface PlannedVariable {
  name: string;
  kind: VariableKind;
  /** What the manifest will hold as the default; null for secrets and empty values. */
  storedDefault: string | null;
  isRequired: boolean;
  description?: string;
  /** The only values that it may have; for plain values. */
  allowed?: readonly string[];
}

/** Choices of the person over what was guessed, by `server key / variable`. */
export type KindChoices = Readonly<Record<string, VariableKind>>;
export const choiceKey = (serverKey: string, variable: string) => `${serverKey} / ${variable}`;

/** What a variable is taken for, by its name and its value, where nobody said. */
export const guessedKind = (name: string, value: string): VariableKind =>
  nameLooksSecret(name) || valueLooksSecret(value) ? 'secret' : 'value';

export function manifestOf(
  variables: readonly PlannedVariable[],
  toolScopes: Manifest['tool_scopes'] = {},
): Manifest {
  const env: Manifest['env'] = {};
  for (const { name, kind, storedDefault, isRequired, description, allowed } of variables) {
    env[name] = {
      kind,
      label: labelOf(name),
      ...(description === undefined ? {} : { description }),
      ...(isRequired ? { required: true } : {}),
      ...(allowed === undefined || kind === 'secret' ? {} : { enum: [...allowed] }),
      ...(storedDefault === null ? {} : { default: storedDefault }),
    };
  }
  return { env, tool_scopes: toolScopes };
}

/** A name that comes twice, or that an object cannot hold, would be shown and not stored. */
export function variableProblems(variables: readonly PlannedVariable[]): string[] {
  const names = variables.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return [
    ...new Set(twice.map((name) => `the variable ${name} is named twice`)),
    ...names.filter((name) => name === '__proto__').map((name) => `${name} cannot be a variable`),
  ];
}

/** `API_TOKEN` reads "Api token". */
export function labelOf(variable: string): string {
  const words = variable.toLowerCase().replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
