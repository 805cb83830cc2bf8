import { type Db, inTransaction } from '../../store/database.ts';
import { type NewTokens, replaceTokens } from '../../store/oauth-connections/change.ts';
import type { ConnectionRow } from '../../store/oauth-connections/row.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';

/** Stores what a refresh gave. False when nobody wants it any more: it is to be revoked. */
export function storeRefreshed(
  db: Db,
  keys: MasterKeys,
  connection: ConnectionRow,
  tokens: NewTokens,
): Promise<boolean> {
  return inTransaction(db, (trx) => replaceTokens(trx, keys, connection, tokens));
}
