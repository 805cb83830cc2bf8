/** The filter of the audit page, which is a part of its address so that it can be shared. */
import type { AuditEvent } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { eventLabels } from './audit-text.ts';

export interface AuditFilter {
  event?: AuditEvent['event'];
  /** Id of a user or agent. */
  actor?: string;
  /** Id or exact name of what was changed or used. */
  resource?: string;
  /** Id of a session: what happened in it and in those below it. */
  tree?: string;
  /** Points in time with their zone; the second is left out. */
  from?: string;
  to?: string;
}

export const filterNames = ['event', 'actor', 'resource', 'tree', 'from', 'to'] as const;

/** Parses an address. An unknown event and an invalid time are left out; the API validates the rest. */
export function readFilter(search: URLSearchParams): AuditFilter {
  const filter: AuditFilter = {};
  const event = search.get('event') ?? '';
  if (isEvent(event)) {
    filter.event = event;
  }
  for (const name of ['actor', 'resource', 'tree'] as const) {
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
