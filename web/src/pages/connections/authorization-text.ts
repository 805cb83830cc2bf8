/** A sign-in at a remote server, as the person who makes it reads it. Pure. */
import { notAllowedStart } from '../../../../contract/sentences.ts';
import type { Authorization } from '../../api/types.ts';

type Status = Authorization['status'];

/** What the page is about: something to do, or how it ended. */
export type AuthorizationView =
  | { kind: 'connected' | 'expired' | 'cancelled' }
  /** Nobody can sign in now. */
  | { kind: 'unusable' }
  /** It has to be begun at another address of the platform. */
  | { kind: 'elsewhere'; origin: string }
  | { kind: 'ready'; host: string };

/**
 * `origin` is that of the page; `isExpired` says that the deadline passed while the page was open, which the
 * API would not let anybody overlook either.
 */
export function viewOf(
  { status, parties, origin: required }: Pick<Authorization, 'status' | 'parties' | 'origin'>,
  { origin, isExpired }: { origin: string; isExpired: boolean },
): AuthorizationView {
  const current: Status = status === 'pending' && isExpired ? 'expired' : status;
  if (current !== 'pending') {
    return { kind: current };
  }
  if (parties === null) {
    return { kind: 'unusable' };
  }
  return required === origin
    ? { kind: 'ready', host: parties.authorization_host }
    : { kind: 'elsewhere', origin: required };
}

/**
 * Whether the address to go to asks for what the page shows: on that host, for that resource and those
 * scopes. The person agreed to nothing else, and the entry may be another by the time that they press the
 * button. Where no scopes are named, an endpoint may have some of its own.
 */
export function asksAsShown(
  url: string,
  { parties, scopes }: Pick<Authorization, 'parties' | 'scopes'>,
): boolean {
  if (parties === null || !URL.canParse(url)) {
    return false;
  }
  const { protocol, host, searchParams } = new URL(url);
  return (
    /^https?:$/.test(protocol) &&
    host === parties.authorization_host &&
    searchParams.get('resource') === parties.resource &&
    (scopes.length === 0 || searchParams.get('scope') === scopes.join(' '))
  );
}

const mostNamed = 3;

/** "tickets:read, tickets:write and 2 more"; null where the server was asked for nothing by name. */
export function askedText({
  scopes,
  missing_scopes: missing,
}: Pick<Authorization, 'scopes' | 'missing_scopes'>): string | null {
  const asked = missing ?? scopes;
  const more = asked.length - mostNamed;
  const named = asked.slice(0, mostNamed).join(', ');
  return asked.length === 0 ? null : more > 0 ? `${named} and ${more} more` : named;
}

/** What the page asks for: a sign-in, or more than was allowed before. */
export function pageTitle(
  authorization: Pick<Authorization, 'mcp_server' | 'scopes' | 'missing_scopes'>,
): string {
  const { mcp_server: server, missing_scopes: missing } = authorization;
  const asked = askedText(authorization);
  return missing === null || asked === null ? `Sign in to ${server}` : `Allow ${asked}`;
}

/** Why the last try failed: the person did not allow it, or something else, in the platform's words. */
export function problemOf({
  problem,
  ...asked
}: Pick<Authorization, 'problem' | 'scopes' | 'missing_scopes' | 'mcp_server'>): {
  title: string;
  text: string;
} | null {
  if (problem === null) {
    return null;
  }
  return problem.startsWith(notAllowedStart)
    ? {
        title: `You did not allow ${askedText(asked) ?? `the sign-in to ${asked.mcp_server}`}`,
        text: problem.slice(notAllowedStart.length),
      }
    : { title: 'You are not signed in so far', text: problem };
}

/** The scopes in their order, each with whether the server asked for it only now. */
export function markedScopes({
  scopes,
  missing_scopes: missing,
}: Pick<Authorization, 'scopes' | 'missing_scopes'>): { scope: string; isNew: boolean }[] {
  return scopes.map((scope) => ({ scope, isNew: missing?.includes(scope) === true }));
}
