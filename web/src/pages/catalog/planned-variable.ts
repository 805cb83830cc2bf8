/** A variable of a server that is imported: its kind, and what the manifest will say of it. */
import type { Manifest } from '../../api/types.ts';
import { nameLooksSecret, textLooksSecret } from '../../text/secret-looks.ts';
import type { PastedInputs } from './desktop-configuration.ts';
import {
  isAddressOfMachine,
  isPathOfMachine,
  isPlaceholder,
  referenceIn,
  someReference,
  withFallbacks,
} from './pasted/texts.ts';

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
  nameLooksSecret(name) || textLooksSecret(value) ? 'secret' : 'value';

/** What a text says of one variable. */
interface Said {
  /** Its value where the text was written, as far as it is one here; empty without one. */
  plain: string;
  /** Whether somebody has to give a value: the text has none that holds here. */
  isMissing: boolean;
  guess: VariableKind;
  description?: string;
  allowed?: readonly string[];
  /** Why its value is not kept, for a plain one and for the path of a file with a secret. */
  note?: string;
}

/** A variable of a client's configuration. `text` is null where the configuration only names it. */
export function pastedVariable(
  key: string,
  { name, text }: { name: string; text: string | null },
  { choices, inputs, notes }: { choices: KindChoices; inputs: PastedInputs; notes: string[] },
): PlannedVariable {
  const said = saidOf(name, text, inputs, notes);
  const kind = choices[choiceKey(key, name)] ?? said.guess;
  const { plain, isMissing, description, allowed, note } = said;
  const isShown = kind === 'value' || (isPathOfMachine(text ?? '') && !textLooksSecret(text ?? ''));
  if (note !== undefined && isShown) {
    notes.push(note);
  }
  const fallback = text === null ? null : referenceIn(text)?.fallback;
  if (kind === 'secret' && typeof fallback === 'string' && fallback !== '') {
    notes.push(`the default of ${name} is not kept, since it may be a secret`);
  }
  const isOptional = plain === '' && !isMissing && text !== null && text !== '';
  return {
    name,
    kind,
    storedDefault: kind === 'value' && plain !== '' ? plain : null,
    isRequired: isMissing || (kind === 'secret' && !isOptional),
    ...(description === undefined ? {} : { description }),
    ...(allowed === undefined ? {} : { allowed }),
  };
}

function saidOf(name: string, text: string | null, inputs: PastedInputs, notes: string[]): Said {
  const byName: VariableKind = nameLooksSecret(name) ? 'secret' : 'value';
  const whole = text === null ? null : referenceIn(text);
  if (text === null) {
    return { plain: '', isMissing: true, guess: byName };
  }
  const input = whole === null ? undefined : inputs.get(whole.name);
  if (input !== undefined) {
    const { password, description, default: preset = '', options } = input;
    const guess = password ? 'secret' : byName === 'secret' ? byName : guessedKind(name, preset);
    return {
      plain: preset,
      isMissing: preset === '',
      guess,
      ...(description === undefined ? {} : { description }),
      ...(options === undefined ? {} : { allowed: options }),
    };
  }
  if (whole !== null) {
    const { fallback } = whole;
    return fallback === null
      ? { plain: '', isMissing: true, guess: 'secret' }
      : ofText(name, fallback, `the default of ${name}`);
  }
  const filled = withFallbacks(text, notes);
  if (someReference(filled) !== null) {
    notes.push(`the value of ${name} is to be given as a whole, in the form that the text has`);
    return { plain: '', isMissing: true, guess: 'secret' };
  }
  return ofText(name, filled, `the value of ${name}`);
}

/** A value that holds here, or why it does not. */
function ofText(name: string, text: string, what: string): Said {
  const guess = guessedKind(name, text);
  const missing = (why: string) => ({
    plain: '',
    isMissing: true,
    guess,
    note: `${what} is not kept: ${why}`,
  });
  if (isPlaceholder(text)) {
    return missing('it is a placeholder');
  }
  if (isPathOfMachine(text)) {
    return missing(`${text} is a path of the machine that the text was written for`);
  }
  return isAddressOfMachine(text)
    ? missing(`${text} is on the machine that the text was written for`)
    : { plain: text, isMissing: false, guess };
}

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
