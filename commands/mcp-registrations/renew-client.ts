import { type Db, inTransaction } from '../../store/database.ts';
import { restartRegistration } from '../../store/mcp-registrations/change.ts';
import { lockRegistration } from '../../store/mcp-registrations/read.ts';
import { type OAuthClientRow, readCurrentClient, retireClients } from '../../store/oauth-clients/clients.ts';
import { wasClientUsed } from '../../store/oauth-connections/read.ts';

/**
 * Has the platform registered again where its server no longer knows the client. False when another client is in use by now, or an admin
 * registered it by hand: only they can do so again. False also when nobody has ever signed in with the client: a server that refuses a client
 * which it has just made would refuse the next as well, and each try would leave one there.
 */
export function renewClient(db: Db, client: OAuthClientRow): Promise<boolean> {
  const { registration_id: registrationId } = client;
  return inTransaction(db, async (trx) => {
    const registration = await lockRegistration(trx, registrationId);
    const current = await readCurrentClient(trx, registrationId);
    if (registration === null || current?.id !== client.id || client.kind !== 'registered') {
      return false;
    }
    if (!(await wasClientUsed(trx, client.id))) {
      return false;
    }
    await retireClients(trx, registrationId);
    await restartRegistration(trx, registrationId, {});
    return true;
  });
}
