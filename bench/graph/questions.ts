/**
 * What is asked of the graph: by a tool, and by SQL that somebody would write by hand for the same question.
 */
import type pg from 'pg';
import type { ToolCaller } from '../../api/platform-tools/tool.ts';

type Writer = Pick<ToolCaller, 'id' | 'workspace_id'>;

export interface Question {
  name: string;
  tool: string;
  given(at: number): unknown;
  /** The same by hand. */
  plain(client: pg.Client, at: number): Promise<unknown>;
}

const start = 'select id from graph_nodes where workspace_id = $1 and type = $2 and key = $3';
const typeOf = (at: number) => ['person', 'company', 'document'][at % 3] ?? '';

export function questionsOf({ id, workspace_id: ws }: Writer, nodes: number): Question[] {
  const nodeAt = (at: number) => 1 + ((at * 7919) % nodes);
  const oneOf = (at: number) => ({ type: typeOf(nodeAt(at)), key: `key-${nodeAt(at)}` });
  return [
    {
      name: 'by type and property, 100 of 334',
      tool: 'graph_query',
      given: (at) => ({ match: { type: 'person', where: { group: at % 100 } } }),
      plain: (client, at) =>
        client.query(
          'select * from graph_nodes where workspace_id = $1 and type = $2 and properties @> $3 order by key limit 100',
          [ws, 'person', JSON.stringify({ group: at % 100 })],
        ),
    },
    {
      name: 'two edges out of one node',
      tool: 'graph_query',
      given: (at) => ({ match: oneOf(at), traverse: [{ direction: 'out', depth: 2 }] }),
      plain: (client, at) =>
        client.query(
          `with start as (${start}), one as (
             select e.to_id as id from graph_edges e join start on start.id = e.from_id where e.workspace_id = $1
           ), two as (
             select e.to_id as id from graph_edges e join one on one.id = e.from_id where e.workspace_id = $1
           )
           select n.* from graph_nodes n where n.workspace_id = $1 and n.id in (table start union table one union table two)`,
          [ws, oneOf(at).type, oneOf(at).key],
        ),
    },
    {
      name: 'four edges in both directions, 100 nodes',
      tool: 'graph_query',
      given: (at) => ({ match: oneOf(at), traverse: [{ direction: 'both', depth: 4 }] }),
      plain: (client, at) =>
        client.query(
          `with recursive walk(id, depth) as (
             select id, 0 from (${start}) as start
             union
             select case when e.from_id = walk.id then e.to_id else e.from_id end, depth + 1
             from walk join graph_edges e on e.workspace_id = $1 and (e.from_id = walk.id or e.to_id = walk.id) where depth < 4
           ), found as (select id, min(depth) as depth from walk group by id)
           select n.* from found join graph_nodes n on n.workspace_id = $1 and n.id = found.id
           order by found.depth, n.type, n.key limit 100`,
          [ws, oneOf(at).type, oneOf(at).key],
        ),
    },
    ...otherQuestions({ id, workspace_id: ws }, nodeAt),
  ];
}

function otherQuestions({ id, workspace_id: ws }: Writer, nodeAt: (at: number) => number): Question[] {
  const newNodes = (at: number) =>
    Array.from({ length: 100 }, (_, each) => ({
      ...{ type: 'note', key: `note-${at % 10}-${each}` },
      properties: { name: `Note ${each}`, group: each },
    }));
  return [
    {
      name: 'ten candidates for a name',
      tool: 'graph_resolve',
      given: (at) => ({ text: `Nane ${nodeAt(at)}` }),
      plain: (client, at) =>
        client.query(
          `select *, word_similarity($2, folded_name) as score from graph_nodes
           where workspace_id = $1 and folded_name %> $2 order by score desc limit 10`,
          [ws, `nane ${nodeAt(at)}`],
        ),
    },
    {
      name: 'types and relations',
      tool: 'graph_discover',
      given: () => ({}),
      plain: async (client) => {
        await client.query('select type, count(*) from graph_nodes where workspace_id = $1 group by type', [
          ws,
        ]);
        await client.query(
          'select relation, count(*) from graph_edges where workspace_id = $1 group by relation',
          [ws],
        );
      },
    },
    {
      name: '100 nodes written',
      tool: 'graph_write',
      given: (at) => ({ nodes: newNodes(at) }),
      plain: (client, at) =>
        client.query(
          `insert into graph_nodes (workspace_id, type, key, properties, folded_key, folded_name, created_by_session, updated_by_session)
           select $1, type, key, properties, key, properties ->> 'name', $3, $3
           from jsonb_to_recordset($2) as node(type text, key text, properties jsonb)
           on conflict (workspace_id, type, key) do update set properties = excluded.properties returning id`,
          [ws, JSON.stringify(newNodes(at).map((each) => ({ ...each, type: 'plain' }))), id],
        ),
    },
  ];
}
