/** The people of the demo, by the sign-in that exists for them only. */
import type { Db } from '../../store/database.ts';
import { upsertUser } from '../../store/users/upsert.ts';
import { ApiClient } from './api-client.ts';
import { demoPeople } from './demo-content.ts';

/** Creates all demo users and signs in those that the demo needs. Throws StartError when the API refuses them. */
export async function signInDemoPeople(db: Db, url: string): Promise<{ ada: ApiClient; max: ApiClient }> {
  for (const person of Object.values(demoPeople)) {
    await upsertUser(db, person);
  }
  return {
    ada: await ApiClient.signIn(url, demoPeople.ada.email),
    max: await ApiClient.signIn(url, demoPeople.max.email),
  };
}
