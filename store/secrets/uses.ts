import type { Knex } from 'knex';
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type SecretUse, type SecretUsers, secretUse, secretUsers } from '../../contract/secret.ts';
import type { Db } from '../database.ts';
import { decodeCursor, readPage } from '../page.ts';
import { readRows } from '../read-rows.ts';

/** Without an agent, `agent_name`, `name` and `variable` are empty, so that every row has a sort position. */
const useRow = z.object({
  kind: secretUse.shape.kind,
  agent_id: uuid.nullable(),
  agent_name: z.string(),
  name: z.string(),
  variable: z.string(),
});

/**
 * What refers to a secret in a workspace: attachments, agent env, model access, siblings, services, entries
 * whose image it pulls, channels, the embedding provider, and repositories.
 */
const everyUse = `
  select 'mcp_attachment' as kind, a.id as agent_id, a.name as agent_name, s.name, e.key as variable, e.value as reference
    from agent_mcp_attachments t
    join agents a on a.id = t.agent_id
    join mcp_servers s on s.id = t.mcp_server_id,
    lateral jsonb_each_text(t.env) e
    where t.workspace_id = :workspaceId
      -- A plain value that looks like a reference is never resolved.
      and s.manifest #>> array['env', e.key, 'kind'] = 'secret'
  union all
  select 'agent_env', a.id, a.name, '', e.key, e.value
    from agents a, lateral jsonb_each_text(a.env) e
    where a.workspace_id = :workspaceId
  union all
  select 'model_key', a.id, a.name, '', '', a.model_access ->> 'api_key'
    from agents a
    where a.workspace_id = :workspaceId and a.model_access is not null
  union all
  select c.kind, a.id, a.name, c.companion ->> 'name', e.key, e.value
    from agents a,
    lateral (select 'sibling_env' as kind, jsonb_array_elements(a.siblings) as companion
             union all select 'service_env', jsonb_array_elements(a.services)) c,
    lateral jsonb_each_text(c.companion -> 'env') e
    where a.workspace_id = :workspaceId
  union all
  select 'registry_secret', null, '', m.name, '', m.shape ->> 'registry_secret'
    from mcp_servers m
    where m.workspace_id = :workspaceId and m.shape ->> 'type' = 'image'
  union all
  select 'channel_address', null, '', c.name, '', c.address from channels c where c.workspace_id = :workspaceId
  union all
  select 'embedding_provider', null, '', '', '', p.api_key
    from embedding_providers p
    where p.workspace_id = :workspaceId
  union all
  select 'repository', null, '', r.name, '', r.credential
    from repositories r
    where r.workspace_id = :workspaceId`;

const referenceTo = (name: string) => `\${${name}}`;

/** Every place of the workspace that references the secret. Throws InvalidCursorError. */
export async function listSecretUses(
  db: Db,
  { workspaceId, name }: { workspaceId: string; name: string },
  page: PageQuery,
): Promise<Page<SecretUse>> {
  const key = ['agent_name', 'kind', 'name', 'variable'] as const;
  const after = decodeCursor(page.cursor, z.tuple([z.string(), z.string(), z.string(), z.string()]));
  const query = db
    .select('kind', 'agent_id', 'agent_name', 'name', 'variable')
    .from(db.raw(`(${everyUse}) uses`, { workspaceId }))
    .where('reference', referenceTo(name))
    .modify(
      (query) => after !== null && query.whereRaw('(agent_name, kind, name, variable) > (?, ?, ?, ?)', after),
    )
    .orderBy([...key]);
  const { rows, nextCursor } = await readPage(db, query, useRow, page.limit, (row) =>
    key.map((part) => row[part]),
  );
  return { items: rows.map(present), nextCursor };
}

/** Key of `secretsOfAgent` for what the agent's own side can read; no name of a server. */
export const ownSide = '';

/**
 * A query of the secrets that an agent refers to, each once: `key` is the server that its attachment gives
 * it to, or `ownSide` for the environments of the agent, its siblings and its services; `item` is the
 * secret's name. The key of its model access is none: nothing of the agent can read it. A name that no
 * secret can have is left out.
 */
export const secretsOfAgent = (db: Db, agent: { workspaceId: string; agentId: string }): Knex.Raw =>
  db.raw(
    `select distinct key, item from (
       select case kind when 'mcp_attachment' then name else '${ownSide}' end as key,
         substring(reference from '^\\$\\{([A-Z_][A-Z0-9_]{0,63})\\}$') as item
       from (${everyUse}) uses where agent_id = :agentId and kind <> 'model_key'
     ) named where item is not null`,
    agent,
  );

/** Of a secret that nothing refers to. */
export const noUsers: SecretUsers = {
  ...{ agents: 0, mcp_servers: 0, channels: 0, embedding_providers: 0, repositories: 0 },
};

/** How many agents, entries, channels, providers and repositories refer to each of the secrets, by name. */
export async function countSecretUsers(
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, SecretUsers>> {
  const statement = db.raw(
    `select reference, count(distinct agent_id)::int as agents,
       (count(*) filter (where kind = 'registry_secret'))::int as mcp_servers,
       (count(*) filter (where kind = 'channel_address'))::int as channels,
       (count(*) filter (where kind = 'embedding_provider'))::int as embedding_providers,
       (count(*) filter (where kind = 'repository'))::int as repositories
     from (${everyUse}) uses where reference = any(:references) group by reference`,
    { workspaceId, references: names.map(referenceTo) },
  );
  const rows = await readRows(statement, secretUsers.extend({ reference: z.string() }));
  const found = new Map(rows.map(({ reference, ...users }) => [reference, users]));
  return new Map(names.map((name) => [name, found.get(referenceTo(name)) ?? noUsers]));
}

function present(row: z.infer<typeof useRow>): SecretUse {
  return {
    kind: row.kind,
    agent: row.agent_id === null ? null : { id: row.agent_id, name: row.agent_name },
    name: row.name === '' ? null : row.name,
    variable: row.variable === '' ? null : row.variable,
  };
}
