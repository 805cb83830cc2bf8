import type { FrozenConfiguration, Session } from '../../contract/session.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { storeConfiguration } from '../../store/session-configurations/configurations.ts';
import { lockOperators } from './lock-operators.ts';

/**
 * Stores what the session will run with; the first one stored stays. Returns the stored one, or null when an operator
 * of the session is no longer a member of its workspace.
 */
export function freezeSession(
  db: Db,
  session: Session,
  configuration: FrozenConfiguration,
): Promise<FrozenConfiguration | null> {
  return inTransaction(db, async (trx) =>
    (await lockOperators(trx, session)) ? storeConfiguration(trx, configuration) : null,
  );
}
