import type { Knex } from 'knex';
import type { GrantState } from '../../contract/grant.ts';
import type { Db } from '../database.ts';

/** The state of a grant `g`, as SQL: what `grantsIn` selects by. */
export const stateOfGrant = `
  case when g.revoked_at is not null then 'revoked'
    when g.consumed_at is not null then 'consumed'
    when exists (select from active_grants where active_grants.id = g.id) then 'active'
    else 'expired' end`;

/**
 * Grants in one state, or all of them (docs/grants.md#scope-and-state). Each is in exactly one; the view
 * `active_grants` says which are active.
 */
export function grantsIn(db: Db, state: GrantState | undefined): Knex.QueryBuilder {
  switch (state) {
    case undefined:
      return db('grants');
    case 'active':
      return db('active_grants as grants');
    case 'revoked':
      return db('grants').whereNotNull('revoked_at');
    case 'consumed':
      return db('grants').whereNull('revoked_at').whereNotNull('consumed_at');
    case 'expired':
      return db('grants')
        .whereNull('revoked_at')
        .whereNull('consumed_at')
        .whereRaw('not exists (select from active_grants where active_grants.id = grants.id)');
  }
}
