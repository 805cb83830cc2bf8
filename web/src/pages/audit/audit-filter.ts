/** The filter of the audit page, which is a part of its address so that it can be shared. */
import type { AuditEvent } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { eventLabels } from './audit-text.ts';

export interface AuditFilter {
  kind?: AuditKind;
  /** One or more, comma-separated. */
  event?: string;
  /** Id of a user or agent. */
  actor?: string;
  /** Id or exact name of what was changed or used. */
  resource?: string;
  /** Id of a session: what happened in it and in those below it. */
  tree?: string;
  /** Of tool calls. */
  outcome?: string;
  /** Of tool calls: `server.tool`. */
  tool?: string;
  /** Part of a name, or the beginning of an id. */
  q?: string;
  /** Points in time with their zone; the second is left out. */
  from?: string;
  to?: string;
}

/** What belongs together; `changes` has neither calls nor requests, runs and sign-ins. */
export const kindLabel = {
  decisions: 'Decisions',
  refusals: 'Refusals',
  calls: 'Tool calls',
  changes: 'Changes',
  sign_ins: 'Sign-ins',
} as const;
export type AuditKind = keyof typeof kindLabel;

export const filterNames = [
  'kind',
  'event',
  'actor',
  'resource',
  'tree',
  'outcome',
  'tool',
  'q',
  'from',
  'to',
] as const satisfies readonly (keyof AuditFilter)[];

/**
 * Parses an address. Unknown events, an unknown kind and an invalid time are left out; the API validates the
 * rest.
 */
export function readFilter(search: URLSearchParams): AuditFilter {
  const filter: AuditFilter = {};
  const kind = search.get('kind') ?? '';
  if (isKind(kind)) {
    filter.kind = kind;
  }
  const events = (search.get('event') ?? '').split(',').filter(isEvent);
  if (events.length > 0) {
    filter.event = events.join(',');
  }
  for (const name of ['actor', 'resource', 'tree', 'outcome', 'tool', 'q'] as const) {
    const value = search.get(name)?.trim();
    if (value) {
      filter[name] = value;
    }
  }
  for (const name of ['from', 'to'] as const) {
    const value = search.get(name);
    if (value && !Number.isNaN(Date.parse(value))) {
      filter[name] = value;
    }
  }
  return filter;
}

const isKind = (name: string): name is AuditKind => Object.hasOwn(kindLabel, name);
const isEvent = (name: string): name is AuditEvent['event'] => Object.hasOwn(eventLabels, name);

/** The same filter with one part changed; null takes it out. */
export function withPart(
  search: URLSearchParams,
  name: (typeof filterNames)[number],
  value: string | null,
): URLSearchParams {
  const next = new URLSearchParams(search);
  if (value === null || value === '') {
    next.delete(name);
  } else {
    next.set(name, value);
  }
  return next;
}

/** Of an exported file: `audit-demo-2026-11-21T19-15-47Z.ndjson`. */
export const exportName = (slug: string, now: Date): string =>
  `audit-${slug}-${now.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}.ndjson`;

/** The address of the audit page with this filter. */
export const onlyWith = (slug: string, filter: AuditFilter): string =>
  `${pathOf(slug, 'audit')}?${new URLSearchParams(Object.entries(filter))}`;
