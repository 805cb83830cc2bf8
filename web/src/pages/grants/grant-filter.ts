/** The filter of the list of grants, which is a part of its address. */
import type { Grant } from '../../api/types.ts';
import { type GrantType, grantStateLabel, typeLabel } from './grant-text.ts';

export type SubjectType = Grant['subject']['type'];

export interface GrantFilter {
  subject: { type: SubjectType; id: string } | null;
  type: GrantType | null;
  /** `all` includes those that no longer permit anything. */
  state: Grant['state'] | 'all';
}

export type FilterName = 'subject' | 'type' | 'state';

/**
 * Parses an address; a missing or invalid part gets its default: any subject, any type, and grants
 * that permit something now.
 */
export function readFilter(search: URLSearchParams): GrantFilter {
  const [holder = '', id = ''] = (search.get('subject') ?? '').split(':');
  const type = search.get('type') ?? '';
  const state = search.get('state') ?? '';
  return {
    subject: (holder === 'user' || holder === 'agent') && id !== '' ? { type: holder, id } : null,
    type: isKeyOf(typeLabel, type) ? type : null,
    state: state === 'all' || isKeyOf(grantStateLabel, state) ? state : 'active',
  };
}

function isKeyOf<Labels extends object>(labels: Labels, key: PropertyKey): key is keyof Labels {
  return Object.hasOwn(labels, key);
}

/** The same address with one part changed; null, and the state that is the default, take it out. */
export function withPart(search: URLSearchParams, name: FilterName, value: string | null): URLSearchParams {
  const next = new URLSearchParams(search);
  if (value === null || value === '' || (name === 'state' && value === 'active')) {
    next.delete(name);
  } else {
    next.set(name, value);
  }
  return next;
}

/** As the API takes it. */
export function queryOf({ subject, type, state }: GrantFilter) {
  return {
    ...(subject?.type === 'user' ? { user_subject_id: subject.id } : {}),
    ...(subject?.type === 'agent' ? { agent_subject_id: subject.id } : {}),
    ...(type === null ? {} : { grant_type: type }),
    ...(state === 'all' ? {} : { state }),
    ...(state === 'all' || state === 'revoked' ? { include_revoked: 'true' as const } : {}),
  };
}
