import type { MasterKeys } from '../../config/keys.ts';
import type { FrozenServer } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { openText } from '../../store/secrets/envelope.ts';
import { readSealed } from '../../store/secrets/read.ts';

/** The values that a server has in its environment; null when one is not what it was when the server was started, or cannot be read. */
export async function secretValues(
  { db, keys, workspaceId }: { db: Db; keys: MasterKeys; workspaceId: string },
  { env }: Pick<FrozenServer, 'env'>,
): Promise<string[] | null> {
  const frozen = Object.values(env).filter((variable) => variable.kind === 'secret');
  const names = [...new Set(frozen.map(({ secret_name }) => secret_name))];
  if (names.length === 0) {
    return [];
  }
  const sealed = await readSealed(db, workspaceId, names);
  const versions = new Map(sealed.map(({ name, version }) => [name, version]));
  if (frozen.some(({ secret_name, secret_version }) => versions.get(secret_name) !== secret_version)) {
    return null;
  }
  try {
    return sealed.map((row) => openText(keys, { workspaceId, name: row.name }, row));
  } catch {
    return null;
  }
}
