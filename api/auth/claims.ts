/** What a person is and which groups they have, by what their provider says of them. Pure. */
import type { IDToken } from 'openid-client';
import * as z from 'zod';
import type { Groups } from '../../contract/group-rule.ts';
import { firstShown } from '../../contract/shown-name.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface Person {
  issuer: string;
  subject: string;
  email: string;
  /** The provider has verified the address. */
  email_verified: boolean;
  name: string;
}

/** `more`: what the provider says beside the ID token, which comes first. */
export function personOf(claims: IDToken, more: Claims): Person {
  const { email, email_verified } = emailOf([claims, more]);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    email_verified,
    name: nameOf([claims, more], email, claims.sub),
  };
}

const textOf = (claims: Claims, name: string): string | undefined =>
  typeof claims[name] === 'string' ? claims[name] : undefined;

/**
 * What others read of a person: the first that shows something. A subject that shows
 * nothing is written in ASCII.
 */
function nameOf(sources: readonly Claims[], email: string, subject: string): string {
  const claimed = ['name', 'preferred_username'].flatMap((name) => sources.map((each) => textOf(each, name)));
  return firstShown([...claimed, email, subject, encodeURIComponent(subject.toWellFormed())]);
}

/**
 * Of the first that names an address: what another one says of `email_verified` may be about another address.
 */
function emailOf(sources: readonly Claims[]): Pick<Person, 'email' | 'email_verified'> {
  const source = sources.find((claims) => (textOf(claims, 'email') ?? '') !== '') ?? {};
  const email = textOf(source, 'email') ?? '';
  // Some providers write it as text.
  return { email, email_verified: email !== '' && String(source['email_verified']) === 'true' };
}

const texts = z.array(z.string());

/**
 * The groups of the first source that has the claim. Where any says that it left some out, none is known: a
 * provider with too many for a token names another place for them (`_claim_names`, OpenID Connect Core 5.6.2;
 * Entra ID also writes `hasgroups`).
 */
export function readGroups(sources: readonly Claims[], claim: string): Groups {
  if (sources.some((source) => isCutOff(source, claim))) {
    return { problem: 'claim_cut_off' };
  }
  const source = sources.find((each) => Object.hasOwn(each, claim));
  if (source === undefined) {
    return { problem: 'claim_missing' };
  }
  const listed = texts.safeParse(source[claim]);
  return listed.success ? { values: new Set(listed.data) } : { problem: 'claim_wrong_type' };
}

function isCutOff(source: Claims, claim: string): boolean {
  const names = source['_claim_names'];
  const isElsewhere = typeof names === 'object' && names !== null && Object.hasOwn(names, claim);
  return isElsewhere || (claim === 'groups' && String(source['hasgroups']) === 'true');
}
