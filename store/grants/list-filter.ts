/** By what lists of grants are narrowed down beyond their state. */
import type { Knex } from 'knex';
import type { GrantWidth } from '../../contract/grant-list.ts';

export interface GrantListFilter {
  width?: GrantWidth | undefined;
  grantedBy?: string | undefined;
  /** Made at least so many days ago, and not used since. */
  unusedDays?: number | undefined;
  /** With an end in the next so many days. */
  endsWithinDays?: number | undefined;
}

const ofWidth: Record<GrantWidth, string> = {
  exact_call: `scope = 'once' and bound_call_digest is not null`,
  once: `scope = 'once' and bound_call_digest is null`,
  session: `scope = 'session'`,
  until: `scope = 'persistent' and expires_at is not null`,
  persistent: `scope = 'persistent' and expires_at is null`,
};

/** Restricts a query of `grants`. */
export function whereListed(
  grants: Knex.QueryBuilder,
  { width, grantedBy, unusedDays, endsWithinDays }: GrantListFilter,
): void {
  if (width !== undefined) {
    grants.whereRaw(ofWidth[width]);
  }
  if (grantedBy !== undefined) {
    grants.where('granted_by_user_id', grantedBy);
  }
  if (unusedDays !== undefined) {
    grants.whereRaw(
      `granted_at <= now() - make_interval(days => :unusedDays) and not exists (
        select from grant_uses
        where grant_id = grants.id and at > now() - make_interval(days => :unusedDays))`,
      { unusedDays },
    );
  }
  if (endsWithinDays !== undefined) {
    grants.whereRaw('expires_at <= now() + make_interval(days => ?)', [endsWithinDays]);
  }
}
