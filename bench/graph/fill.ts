/** A graph of the size that is asked for, written by the database itself. */
import type { Knex } from 'knex';
import type { ToolCaller } from '../../api/platform-tools/tool.ts';

export interface GraphSize {
  nodes: number;
  edges: number;
}

/** Every hundredth node has the same property `group`; edges join nodes that are far apart. */
export async function fillGraph(db: Knex, { id, workspace_id }: ToolCaller, size: GraphSize): Promise<void> {
  const values = { workspaceId: workspace_id, sessionId: id, ...size };
  await db.raw(
    `insert into graph_nodes (workspace_id, type, key, properties, folded_key, folded_name, created_by_session, updated_by_session)
     select cast(:workspaceId as uuid), (array['person', 'company', 'document'])[1 + n % 3], 'key-' || n,
       jsonb_build_object('name', 'Name ' || n, 'group', n % 100, 'note', repeat('x', n % 200)),
       'key-' || n, 'name ' || n, cast(:sessionId as uuid), cast(:sessionId as uuid)
     from generate_series(1, cast(:nodes as integer)) as n`,
    values,
  );
  await db.raw(
    `with numbered as (
       select id, row_number() over (order by id) - 1 as n from graph_nodes where workspace_id = :workspaceId
     )
     insert into graph_edges (workspace_id, from_id, relation, to_id, properties, created_by_session, updated_by_session)
     select cast(:workspaceId as uuid), start.id, (array['knows', 'owns', 'cites'])[1 + e % 3], finish.id, '{}',
       cast(:sessionId as uuid), cast(:sessionId as uuid)
     from generate_series(1, cast(:edges as bigint)) as e
     join numbered start on start.n = (e * 7919) % cast(:nodes as bigint)
     join numbered finish on finish.n = (e * 104729 + e / 3) % cast(:nodes as bigint)
     on conflict do nothing`,
    values,
  );
  await db.raw(
    `insert into graphs (workspace_id, nodes, edges)
     select cast(:workspaceId as uuid), cast(:nodes as bigint), count(*) from graph_edges where workspace_id = :workspaceId`,
    values,
  );
  await db.raw('vacuum analyze');
}
