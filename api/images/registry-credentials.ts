import type { MasterKeys } from '../../config/keys.ts';
import { secretNotSet, secretRefusal } from '../../contract/secret-use.ts';
import type { RegistryCredentials } from '../../lib/oci/authorize.ts';
import type { Db } from '../../store/database.ts';
import { open } from '../../store/secrets/envelope.ts';
import { readKnownSecrets, readSealed } from '../../store/secrets/read.ts';
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
  const known = (await readKnownSecrets(db, workspaceId, [name])).get(name);
  const [sealed] = await readSealed(db, workspaceId, [name]);
  const refusal = secretRefusal(name, known, entry);
  if (refusal !== null || sealed === undefined) {
    throw refused(refusal ?? secretNotSet(name));
  }
  const plaintext = open(masterKeys, { workspaceId, name }, sealed);
  try {
    return parseCredentials(name, plaintext.toString());
  } finally {
    plaintext.fill(0);
  }
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
