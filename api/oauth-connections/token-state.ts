/** What is to be done with a sign-in when a token is asked for. Pure. */
import type { AccessTokenRequest } from '../../contract/remote-server.ts';
import type { ConnectionRow } from '../../store/oauth-connections/row.ts';

/** A token is not given out for its last moments: the request that it goes with takes time. */
const marginMs = 30_000;

export const tokenIdOf = ({ id, generation }: Pick<ConnectionRow, 'id' | 'generation'>): string =>
  `${id}.${generation}`;

/** `refresh`: the token has ended, or is about to, or its server no longer takes it. */
export type TokenState = 'usable' | 'refresh';

export function tokenStateOf(
  connection: Pick<ConnectionRow, 'id' | 'generation' | 'expires_at'>,
  { rejected }: AccessTokenRequest,
  nowMs: number,
): TokenState {
  const { expires_at: expiresAt } = connection;
  const isLate = expiresAt !== null && Date.parse(expiresAt) - marginMs <= nowMs;
  return isLate || rejected === tokenIdOf(connection) ? 'refresh' : 'usable';
}
