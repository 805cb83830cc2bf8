import type { FieldProblem } from '../../../contract/errors.ts';
import type { Grant } from '../../../contract/grant.ts';
import type { Db } from '../../../store/database.ts';
import { isScopeNamed } from '../../../store/grants/named-scope.ts';

/**
 * What its maker should know of a grant that is sound but may not do what they meant. The specification lets a grant be made
 * before anything gates on its scope, so a misspelt scope is taken too.
 */
export async function grantWarnings(db: Db, grant: Grant): Promise<FieldProblem[]> {
  const { scope } = grant.details;
  if (typeof scope !== 'string' || (await isScopeNamed(db, grant.workspace_id, scope))) {
    return [];
  }
  const message = `no MCP server of this workspace has a tool that needs ${scope}, so the grant opens nothing now`;
  return [{ path: 'details.scope', code: 'unknown_scope', message }];
}
