/** A secret that a form names, and `${NAME}` as the API takes it. Pure. */
import { referencedSecretName } from '../../../../contract/names.ts';

/** Accepts a secret's plain name, or the usual reference. */
export const referenceTo = (text: string): string =>
  referencedSecretName(text) === null ? `\${${text}}` : text;

/** The name in a reference; empty for none. */
export const nameInReference = (text: string | undefined): string => referencedSecretName(text ?? '') ?? '';
