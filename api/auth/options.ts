/** Which ways of signing in this platform offers, for the page shown before sign-in. */
import * as z from 'zod';
import { user } from '../../contract/workspace.ts';

export const authOptions = z.strictObject({
  /** Whether `GET /auth/sign-in` leads to an identity provider. */
  oidc: z.boolean(),
  /** People of the demo sign-in, which needs no password; null where it is off. */
  demo_people: z.array(user.pick({ email: true, name: true })).nullable(),
});
