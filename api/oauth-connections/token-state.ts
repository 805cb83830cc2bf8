/** What is to be done with a sign-in when a token is asked for. Pure. */
import { type TokenEnd, tokenEndOf } from '../../commands/oauth-connections/token-end.ts';
import type { AccessTokenRequest } from '../../contract/remote-server.ts';
import type { ConnectionRow } from '../../store/oauth-connections/row.ts';

export const tokenIdOf = ({ id, generation }: Pick<ConnectionRow, 'id' | 'generation'>): string =>
  `${id}.${generation}`;

/** `late`: it can be used for a moment, and is to be refreshed where that is possible. `refresh`: it has ended, or its server no longer takes it. */
export type TokenState = 'usable' | 'late' | 'refresh';

const stateOf: Record<TokenEnd, TokenState> = { far: 'usable', late: 'late', ended: 'refresh' };

export function tokenStateOf(
  connection: Pick<ConnectionRow, 'id' | 'generation' | 'expires_at' | 'refreshed_at'>,
  { rejected }: AccessTokenRequest,
  nowMs: number,
): TokenState {
  return rejected === tokenIdOf(connection) ? 'refresh' : stateOf[tokenEndOf(connection, nowMs)];
}
