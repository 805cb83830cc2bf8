/** The parts of a form that may be kept as a draft: everything but values that look like a credential. */
import { nameLooksSecret, valueLooksSecret } from './secret-looks.ts';

/** `${NAME}` names a secret and is none. */
const referencesToSecrets = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/g;
const secretName = /^[A-Z][A-Z0-9_]*$/;
/** What may surround a value in a sentence, a command or JSON. */
const betweenWords = /([\s"'`,;=<>()[\]]+)/;

const looksSecret = (text: string) => valueLooksSecret(text.replace(referencesToSecrets, ''));

function withoutSecretText(name: string, text: string): string {
  const isNamedSecret = nameLooksSecret(name) && text.replace(referencesToSecrets, '') !== '';
  if (isNamedSecret || (looksSecret(text) && !/\s/.test(text))) {
    return '';
  }
  // Every second piece is the separator of two words.
  return text
    .split(betweenWords)
    .map((piece, at) => (at % 2 === 0 && looksSecret(piece) ? '' : piece))
    .join('');
}

/**
 * The same values, without each text, and each word of a longer text, that looks secret by itself
 * or by the name beside it.
 */
export function withoutSecrets<Values>(values: Values): Values {
  return without(values, '') as Values;
}

function without(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    return withoutSecretText(name, value);
  }
  if (Array.isArray(value)) {
    return value.map((item, at) => without(item, optionOf(value[at - 1]) ?? name));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, without(part, nameOf(key, value))]),
  );
}

/** An argument such as `--api-key` says what the next one is. */
const optionOf = (argument: unknown): string | null =>
  typeof argument === 'string' && argument.startsWith('-') ? argument : null;

/** What a part of an object is called: a row of a table of variables says its name in a field of its own. */
function nameOf(key: string, row: object): string {
  if (!('name' in row) || typeof row.name !== 'string' || !('text' in row)) {
    return key;
  }
  const isNameOfSecret = 'kind' in row && row.kind === 'secret' && secretName.test(String(row.text));
  return key === 'text' && !isNameOfSecret ? row.name : key;
}
