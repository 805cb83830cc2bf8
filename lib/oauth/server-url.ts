/** Which URLs a remote server or an authorization server may have. Pure. */
import { literalAddress } from '../outbound/classify-address.ts';
import { OutboundError } from '../outbound/errors.ts';
import { refuseAddress } from '../outbound/guarded-lookup.ts';
import { parsePlainUrl } from '../outbound/parse-url.ts';
import { allowsHttp, type OutboundPolicy } from '../outbound/policy.ts';
import { OAuthDiscoveryError, type OAuthDiscoveryErrorCode } from './errors.ts';
import { quote } from './quote.ts';

const maxLength = 2048;

/** The URL in `text`, which `what` names in messages. Throws OAuthDiscoveryError with `code` for one that no request may go to. */
export function parseServerUrl(
  policy: OutboundPolicy,
  text: string,
  what: string,
  code: OAuthDiscoveryErrorCode,
): URL {
  const refuse = (why: string) => new OAuthDiscoveryError(code, `${what} ${quote(text)} ${why}`);
  const url = text.length <= maxLength ? parsePlainUrl(text) : null;
  if (url === null) {
    throw refuse('is not a web address that begins with https:// and has only plain characters (ASCII).');
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('holds a user name or password; credentials have no place in an address.');
  }
  if (text.includes('#')) {
    throw refuse('has a fragment (#), which no server would ever see.');
  }
  if (url.protocol !== 'https:' && !allowsHttp(policy, url)) {
    throw refuse(`is not https; ${policy.setting} names the hosts that may speak plain http.`);
  }
  const literal = literalAddress(url.hostname);
  if (literal !== null) {
    checkAddress(policy, url, literal, refuse);
  }
  return url;
}

/** A request would be refused anyway, but a browser is led to some of these URLs, too. */
function checkAddress(
  policy: OutboundPolicy,
  url: URL,
  address: string,
  refuse: (why: string) => OAuthDiscoveryError,
): void {
  try {
    refuseAddress(policy, url, address);
  } catch (error) {
    throw error instanceof OutboundError ? refuse(`is refused: ${error.message}.`) : error;
  }
}
