import type { Knex } from 'knex';
import type { GrantState } from '../../contract/grant.ts';
import type { Db } from '../database.ts';

/**
 * Grants in one state, or all of them (docs/grants.md#scope-and-state). Each is in exactly one; the view `active_grants`
 * says which are active.
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
