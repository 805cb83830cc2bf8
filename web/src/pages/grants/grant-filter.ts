/** The filter of the list of grants, which is a part of its address. */
import type { Grant, GrantsQuery } from '../../api/types.ts';
import { type GrantType, type GrantWidth, grantStateLabel, typeLabel, widthLabel } from './grant-text.ts';

export type SubjectType = Grant['subject']['type'];

export interface GrantFilter {
  subject: { type: SubjectType; id: string } | null;
  type: GrantType | null;
  state: GrantView;
  width: GrantWidth | null;
  /** Id of who made it. */
  by: string | null;
}

export type FilterName = 'subject' | 'type' | 'state' | 'width' | 'by';

/** Of active ones also what ends within a week, and what nobody used for 90 days. */
export const grantViews = ['active', 'ending', 'unused', 'consumed', 'expired', 'revoked', 'all'] as const;
export type GrantView = (typeof grantViews)[number];

export const viewLabel: Record<GrantView, string> = {
  ...grantStateLabel,
  ending: 'End soon',
  unused: 'Unused for 90 days',
  all: 'All',
};

/** `all` includes those that no longer permit anything. */
const queryOfView: Record<GrantView, GrantsQuery> = {
  active: { state: 'active' },
  ending: { state: 'active', ends_within_days: 7 },
  unused: { state: 'active', unused_days: 90 },
  consumed: { state: 'consumed' },
  expired: { state: 'expired' },
  revoked: { state: 'revoked', include_revoked: 'true' },
  all: { include_revoked: 'true' },
};

/**
 * Parses an address; a missing or invalid part gets its default: any subject, any type, and grants
 * that permit something now.
 */
export function readFilter(search: URLSearchParams): GrantFilter {
  const [holder = '', id = ''] = (search.get('subject') ?? '').split(':');
  const type = search.get('type') ?? '';
  const state = search.get('state') ?? '';
  const width = search.get('width') ?? '';
  return {
    subject: (holder === 'user' || holder === 'agent') && id !== '' ? { type: holder, id } : null,
    type: isKeyOf(typeLabel, type) ? type : null,
    state: isKeyOf(viewLabel, state) ? state : 'active',
    width: isKeyOf(widthLabel, width) ? width : null,
    by: search.get('by') || null,
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
export function queryOf({ subject, type, state, width, by }: GrantFilter): GrantsQuery {
  return {
    ...(subject?.type === 'user' ? { user_subject_id: subject.id } : {}),
    ...(subject?.type === 'agent' ? { agent_subject_id: subject.id } : {}),
    ...(type === null ? {} : { grant_type: type }),
    ...(width === null ? {} : { width }),
    ...(by === null ? {} : { granted_by: by }),
    ...queryOfView[state],
  };
}
