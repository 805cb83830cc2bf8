/** What of a form may be kept as a draft: everything but values that look like a credential. */
import { nameLooksSecret, valueLooksSecret } from './secret-looks.ts';

/** `${NAME}` names a secret and is none. */
const referenceToSecret = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

const isSecretText = (name: string, value: string) =>
  value !== '' &&
  !referenceToSecret.test(value) &&
  (nameLooksSecret(name) || (!/\s/.test(value) && valueLooksSecret(value)));

/** The same values, with an empty text in place of each that looks secret by itself or by the name beside it. */
export function withoutSecrets<Values>(values: Values): Values {
  return without(values, '') as Values;
}

function without(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    return isSecretText(name, value) ? '' : value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => without(item, name));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value);
  const named = entries.find(([key, text]) => key === 'name' && typeof text === 'string')?.[1];
  return Object.fromEntries(
    entries.map(([key, part]) => [
      key,
      // A row of a table of variables says its name in a field of its own.
      without(part, key === 'value' && typeof named === 'string' ? named : key),
    ]),
  );
}
