import * as z from 'zod';
import { graphNode } from '../../contract/graph.ts';
import type { Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { folded, type GraphBounds, nodeBytesOf, nodeJson } from './write.ts';

export interface ResolveOptions {
  text: string;
  type?: string | undefined;
}

const candidate = graphNode.extend({ score: z.number().min(0).max(1) });
const candidates = z.object({ candidates: z.array(candidate), truncated: z.boolean() });
export type Candidates = z.infer<typeof candidates>;

/** Less is no similarity: `Jon Smyth` and `John Smith` share a third of their trigrams. */
const leastSimilarity = '0.3';
/** Only what is equal has 1. */
const mostSimilarity = 0.99;

/**
 * Nodes whose key or property `name` is the text, without regard to case, with score 1; then those in which
 * most of the text's trigrams are found, with the share of them. Ordered by score, then those with this very
 * key, then shorter ones, then by type, key and id.
 */
export async function resolveNodes(
  trx: Transaction,
  workspaceId: string,
  { text, type }: ResolveOptions,
  { limit, nodeBytes }: Pick<GraphBounds, 'limit' | 'nodeBytes'>,
): Promise<Candidates> {
  await trx.raw("select set_config('pg_trgm.word_similarity_threshold', ?, true)", [leastSimilarity]);
  const statement = trx.raw(resolveStatement(type === undefined ? '' : 'and node.type = :type'), {
    ...{ workspaceId, text, folded: folded(text), limit, nodeBytes, mostSimilarity },
    ...(type === undefined ? {} : { type }),
  });
  return onlyRow(await readRows(statement, candidates));
}

const resolveStatement = (ofType: string) => `
  with alike as (
    select node.id, node.type, node.key,
      node.folded_key = :folded or (node.folded_name is not null and node.folded_name = :folded) as is_equal,
      greatest(word_similarity(:folded, node.folded_key), word_similarity(:folded, coalesce(node.folded_name, ''))) as similarity
    from graph_nodes node
    where node.workspace_id = :workspaceId ${ofType}
      and (node.folded_key = :folded or node.folded_name = :folded
        or node.folded_key %> :folded or node.folded_name %> :folded)
  ), scored as (
    select alike.id, alike.type, alike.key, case when alike.is_equal then 1
      else least(cast(:mostSimilarity as double precision), alike.similarity) end as score
    from alike
  ), best as (
    select scored.id, scored.score, row_number() over (
      order by scored.score desc, scored.key = :text desc, length(scored.key), scored.type, scored.key, scored.id
    ) as place
    from scored order by place limit cast(:limit as integer) + 1
  ), measured as (
    select best.id, best.score, best.place, sum(${nodeBytesOf('node')}) over (order by best.place) as bytes
    from best join graph_nodes node on node.workspace_id = :workspaceId and node.id = best.id
  ), kept as (
    select id, score, place from measured
    where place = 1 or (place <= cast(:limit as integer) and bytes <= cast(:nodeBytes as bigint))
  )
  select
    (select coalesce(jsonb_agg(jsonb_build_object('score', round(cast(kept.score as numeric), 3))
        || cast(${nodeJson('node')} as jsonb) order by kept.place), '[]')
      from kept join graph_nodes node on node.workspace_id = :workspaceId and node.id = kept.id) as candidates,
    (select count(*) from measured) > (select count(*) from kept) as truncated`;
