/** What an attachment gives a server, as a form holds it: for a secret its name, for a value the value. */
import { referencedSecretName } from '../../../../contract/names.ts';
import type { Manifest } from '../../api/types.ts';

export type GivenValues = Readonly<Record<string, string>>;

/** The part of what was saved that still fits the manifest. */
export function givenBefore(manifest: Manifest, env: Readonly<Record<string, string>>): GivenValues {
  return Object.fromEntries(
    Object.entries(manifest.env).map(([name, { kind }]) => {
      const text = env[name] ?? '';
      return [name, kind === 'secret' ? (referencedSecretName(text) ?? '') : text];
    }),
  );
}

/**
 * Variables of what was saved that a save would drop: the manifest no longer declares them, or now
 * requires a secret there.
 */
export function droppedVariables(manifest: Manifest, env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, text]) => {
    const field = manifest.env[name];
    const fits = field?.kind === 'value' || (field?.kind === 'secret' && referencedSecretName(text) !== null);
    return fits || text === '' ? [] : [name];
  });
}

/** What is sent: empty fields are left out, so that a default counts. */
export function envOfGiven(manifest: Manifest, given: GivenValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(manifest.env).flatMap(([name, { kind }]) => {
      const text = given[name] ?? '';
      return text === '' ? [] : [[name, kind === 'secret' ? `\${${text}}` : text]];
    }),
  );
}
