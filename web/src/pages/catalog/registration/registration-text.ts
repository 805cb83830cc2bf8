/** The registration of a remote server as people read it. Pure. */
import type { McpRegistration, McpServer, SignInParties } from '../../../api/types.ts';
import { headerText } from '../../../text/shape-text.ts';

export const statusLabels: Record<McpRegistration['status'], string> = {
  pending: 'Pending',
  ready: 'Ready',
  failed: 'Failed',
};

/** How agents are signed in to the server. */
export function signInText({ shape, registration }: Pick<McpServer, 'shape' | 'registration'>): string {
  const headers = shape.type === 'remote' ? (shape.headers ?? []) : [];
  switch (registration?.sign_in ?? null) {
    case 'none':
      return 'not at all: the server asks for no sign-in';
    case 'headers':
      return `with a static key, in ${headers.map(headerText).join(', ')}`;
    case 'oauth':
      return 'as the person who operates the session: each signs in for themselves';
    case null:
      return 'not known yet';
  }
}

type Client = NonNullable<McpRegistration['client']>;

export const clientKindLabels: Record<Client['kind'], string> = {
  pre_registered: 'registered by hand',
  metadata_document: 'a document that the platform publishes',
  registered: 'registered by the platform',
};

/**
 * Whether an admin has to know the redirect URI: to register the platform by hand, or because somebody has.
 */
export function needsRedirectUri({
  shape,
  registration,
}: Pick<McpServer, 'shape' | 'registration'>): boolean {
  if (shape.type !== 'remote' || registration === null) {
    return false;
  }
  const { status, sign_in: signIn, client } = registration;
  const signsIn = (shape.headers ?? []).length === 0 && signIn !== 'none';
  const isByHand = shape.client !== undefined || client?.kind === 'pre_registered';
  return signsIn && (isByHand || (status === 'failed' && client === null));
}

const hostOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).host : null);

/**
 * Which of the hosts are others than a person may expect: that of the issuer, and that of the
 * page where people sign in.
 */
export function otherHosts({
  issuer,
  resource,
  authorization_host: page,
}: NonNullable<McpRegistration['parties']>): { issuer: boolean; page: boolean } {
  return { issuer: hostOf(issuer) !== hostOf(resource), page: page !== hostOf(issuer) };
}

/** What would be accepted, in a word. */
export const changedPart = (before: SignInParties, now: SignInParties): 'issuer' | 'resource' =>
  before.issuer === now.issuer ? 'resource' : 'issuer';

export interface DifferingText {
  before: string;
  /** The part that is not the same in the other text; may be empty. */
  differing: string;
  after: string;
}

/**
 * The text in three parts, which together are the text: what both begin with, what
 * differs, what both end with.
 */
export function differingPart(text: string, other: string): DifferingText {
  const [own, others] = [[...text], [...other]];
  const most = Math.min(own.length, others.length);
  let start = 0;
  while (start < most && own[start] === others[start]) {
    start += 1;
  }
  let end = 0;
  while (end < most - start && own[own.length - 1 - end] === others[others.length - 1 - end]) {
    end += 1;
  }
  return {
    before: own.slice(0, start).join(''),
    differing: own.slice(start, own.length - end).join(''),
    after: own.slice(own.length - end).join(''),
  };
}
