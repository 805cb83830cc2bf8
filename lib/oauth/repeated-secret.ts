/** Whether a text repeats a credential, as servers do that quote what they refuse. Pure. */
import { formEncoded } from './form-encoding.ts';

/** So many letters and digits in a row are no accident. */
const telling = 12;

/**
 * Whether `text` has a part of one of `secrets` that could be of use to its reader: twelve letters and digits in a row, or all of a shorter
 * one. Case, encoding for forms, and signs between the letters make no difference.
 */
export function repeatsSecret(text: string, secrets: readonly string[]): boolean {
  const said = lettersOf(text);
  return secrets.some(
    (secret) =>
      secret !== '' &&
      (text.includes(secret) ||
        sharesPart(said, lettersOf(secret)) ||
        sharesPart(said, lettersOf(formEncoded(secret)))),
  );
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function sharesPart(said: string, secret: string): boolean {
  if (secret.length <= telling) {
    return secret !== '' && said.includes(secret);
  }
  for (let at = 0; at + telling <= said.length; at += 1) {
    if (secret.includes(said.slice(at, at + telling))) {
      return true;
    }
  }
  return false;
}
