import { type Db, inTransaction } from '../../store/database.ts';
import {
  type ClientCredentials,
  insertRetiredClient,
  type OAuthClientRow,
} from '../../store/oauth-clients/clients.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';

/** Keeps a client that came too late, or is refused, until it is deleted at its server. */
export const keepRetired = (
  db: Db,
  keys: MasterKeys,
  client: Omit<OAuthClientRow, 'id'>,
  credentials: ClientCredentials,
): Promise<void> => inTransaction(db, (trx) => insertRetiredClient(trx, keys, client, credentials));
