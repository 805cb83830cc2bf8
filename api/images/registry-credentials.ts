import { openSecret } from '../../commands/secrets/open.ts';
import type { MasterKeys } from '../../config/keys.ts';
import type { RegistryCredentials } from '../../lib/oci/authorize.ts';
import type { Db } from '../../store/database.ts';
import { type ApiError, invalid } from '../errors.ts';

/**
 * Opens the workspace secret that an entry names for its registry: `user:password`, by the same rules as an attachment's secrets.
 * Throws `validation_failed` at `shape.registry_secret`, never with any of the value.
 */
export async function readRegistryCredentials(
  db: Db,
  masterKeys: MasterKeys,
  { workspaceId, entry, secret: name }: { workspaceId: string; entry: string; secret: string },
): Promise<RegistryCredentials> {
  const opened = await openSecret(db, masterKeys, { workspaceId, name, server: entry });
  if ('refusal' in opened) {
    throw refused(opened.refusal);
  }
  return parseCredentials(name, opened.value);
}

function parseCredentials(name: string, text: string): RegistryCredentials {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1 || /[\r\n]/.test(text)) {
    const message = `the secret ${name} must be user:password, on one line`;
    throw refused({ code: 'not_credentials', message });
  }
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function refused(problem: { code: string; message: string }): ApiError {
  return invalid([{ path: 'shape.registry_secret', ...problem }]);
}
