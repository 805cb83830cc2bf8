/** What a hostile server answers to a request with a credential, and the outcome that it must have. */

import type { OAuthTokenErrorCode, RequestOutcome } from '../../../../../lib/oauth/token-errors.ts';
import type { Tokens } from '../../../../../lib/oauth/tokens.ts';
import type { Reply } from '../../../../support/remote-server.ts';

export interface TokenAttack {
  name: string;
  /** `other` is the origin of a server that must hear nothing, `own` that of the hostile one. */
  reply(other: string, own: string): Reply;
  /** What the request is refused with; null when it has tokens all the same. */
  code: OAuthTokenErrorCode | null;
  /** `unknown` unless it says otherwise. */
  outcome?: RequestOutcome;
  /** Part of the message. */
  says?: string;
  isTemporary?: boolean;
  /** Whether it ends by the limit of time alone. */
  isSlow?: boolean;
  /** Some of the tokens that are read. */
  gives?: Partial<Tokens>;
}

/** Random, as they are: no word of a message is in one by accident. */
export const held = {
  code: 'c7Zq+9/kT2mWx4LdPr8VbN',
  codeVerifier: 'vQ3sJ6yHtB1nKc5RfGz8MwXpD0aEuL7iOjYbTqZkV2g',
  refreshToken: 'r1.Hb5~Nf8Ue2Ko9Xs4Yq7Tj',
  clientSecret: 's%Gd6:Wm3Av0Bz+Cx1Qe',
};

/** What an honest server gives. */
export const honestTokens = {
  access_token: 'a4Pn7.Lr2Xk9Vh5Yw3Bt',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'n8Fj3.Qm6Td1Zs0Gc5Kv',
  scope: 'notes.read',
};

/** All that no error may hold. */
export const secrets = [...Object.values(held), honestTokens.access_token, honestTokens.refresh_token];

/** What a request was made with. */
export function credentialOf(body: string): string {
  const form = new URLSearchParams(body);
  return form.get('code') ?? form.get('refresh_token') ?? form.get('token') ?? '';
}
