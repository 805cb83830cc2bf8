/** When a sign-in's access token is too close to its end to be used. Pure. */
import { tokenMarginMs } from '../../contract/remote-server.ts';
import type { ConnectionRow } from '../../store/oauth-connections/row.ts';

type Timed = Pick<ConnectionRow, 'expires_at' | 'refreshed_at'>;

/** `late`: it is about to end, which is when a tenth of its lifetime is left, or a minute of a long one. */
export type TokenEnd = 'far' | 'late' | 'ended';

export function tokenEndOf({ expires_at: expiresAt, refreshed_at: givenAt }: Timed, nowMs: number): TokenEnd {
  if (expiresAt === null) {
    return 'far';
  }
  const endMs = Date.parse(expiresAt);
  const lifetimeMs = Math.max(0, endMs - Date.parse(givenAt));
  if (endMs <= nowMs) {
    return 'ended';
  }
  return endMs - tokenMarginMs(lifetimeMs) <= nowMs ? 'late' : 'far';
}
