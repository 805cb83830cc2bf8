/** What an agent can do by itself, as the people see who let another agent start it. */
import type { Knex } from 'knex';
import * as z from 'zod';
import { agentKind } from '../../contract/agent.ts';
import {
  type AgentAuthority,
  attachedAuthority,
  heldGrant,
  mostOfAuthority,
} from '../../contract/agent-authority.ts';
import { egressRule, network } from '../../contract/catalog.ts';
import { grantType } from '../../contract/grant.ts';
import { uuid } from '../../contract/names.ts';
import { listRemoteAttachments } from '../attachments/read-for-launch.ts';
import { listChannelNamesOfAgent } from '../channels/channels.ts';
import { type Db, inSnapshot } from '../database.ts';
import { type FirstItems, noItems, readFirstOfEach } from '../first-of-each.ts';
import { grantColumns, grantRow, presentGrant } from '../grants/row.ts';
import { readRow, readRows } from '../read-rows.ts';
import { ownSide, secretsOfAgent } from '../secrets/uses.ts';
import { namedOrNull } from '../sessions/context.ts';

interface Whose {
  workspaceId: string;
  agentId: string;
}

/**
 * What the agent can do, on one snapshot; null for an agent that the workspace does not have. Throws a
 * ZodError for stored content that does not parse.
 */
export function readAgentAuthority(db: Db, whose: Whose): Promise<AgentAuthority | null> {
  return inSnapshot(db, async (trx) => {
    const agent = await readSubject(trx, whose);
    if (agent === null) {
      return null;
    }
    const secrets = await readFirstOfEach(trx, secretsOfAgent(trx, whose), mostOfAuthority);
    return {
      ...agent,
      remote: (await listRemoteAttachments(trx, whose.agentId)).length > 0,
      ...(await readServers(trx, whose, secrets)),
      ...(await readHeldGrants(trx, whose)),
      ...(await readChannels(trx, whose)),
      ...shownSecrets(secrets.get(ownSide)),
    };
  });
}

const shownSecrets = ({ items, more }: FirstItems = noItems) => ({ secrets: items, more_secrets: more });
const more = (total: number | undefined) => Math.max(0, (total ?? 0) - mostOfAuthority);

const subjectRow = z.object({
  id: uuid,
  name: z.string(),
  kind: agentKind,
  network,
  egress_allow: z.array(egressRule),
  owner_id: uuid.nullable(),
  owner_name: z.string().nullable(),
});

async function readSubject(trx: Knex.Transaction, { workspaceId, agentId }: Whose) {
  const found = await readRow(
    trx('agents as a')
      .leftJoin('users as o', 'o.id', 'a.owner_id')
      .where({ 'a.id': agentId, 'a.workspace_id': workspaceId })
      .first('a.id', 'a.name', 'a.kind', 'a.network', 'a.egress_allow', {
        owner_id: 'o.id',
        owner_name: 'o.name',
      }),
    subjectRow,
  );
  if (found === null) {
    return null;
  }
  const { owner_id, owner_name, network, egress_allow, ...agent } = found;
  return { agent: { ...agent, owner: namedOrNull(owner_id, owner_name) }, network, egress_allow };
}

const serverRow = attachedAuthority
  .pick({ name: true, remote: true, network: true, egress_allow: true, unlisted_tools: true })
  .extend({ total: z.int() });

/** Remote ones first, since they decide. */
async function readServers(
  trx: Knex.Transaction,
  { agentId }: Whose,
  secrets: ReadonlyMap<string, FirstItems>,
): Promise<Pick<AgentAuthority, 'servers' | 'more_servers'>> {
  const attached = trx.raw(
    `select s.name, s.shape ->> 'type' = 'remote' as remote, s.network, s.egress_allow, s.unlisted_tools,
       count(*) over () as total
     from agent_mcp_attachments t join mcp_servers s on s.id = t.mcp_server_id
     where t.agent_id = ? order by remote desc, s.name limit ?`,
    [agentId, mostOfAuthority],
  );
  const rows = await readRows(attached, serverRow);
  const scopes = await readFirstOfEach(trx, scopesOfServers(trx, agentId), mostOfAuthority);
  return {
    servers: rows.map(({ total: _total, ...server }) => {
      const { items, more } = scopes.get(server.name) ?? noItems;
      const given = shownSecrets(secrets.get(server.name));
      return { ...server, tool_scopes: items, more_tool_scopes: more, ...given };
    }),
    more_servers: more(rows[0]?.total),
  };
}

const scopesOfServers = (trx: Knex.Transaction, agentId: string) =>
  trx.raw(
    `select distinct s.name as key, gate.scope as item
     from agent_mcp_attachments t
     join mcp_servers s on s.id = t.mcp_server_id
     join mcp_server_tools gate on gate.mcp_server_id = s.id
     where t.agent_id = ?`,
    [agentId],
  );

async function readChannels(
  trx: Knex.Transaction,
  { workspaceId, agentId }: Whose,
): Promise<Pick<AgentAuthority, 'channels' | 'more_channels'>> {
  const names = await listChannelNamesOfAgent(trx, workspaceId, agentId);
  return { channels: names.slice(0, mostOfAuthority), more_channels: more(names.length) };
}

const grantWithChild = grantRow.extend({
  child_id: uuid.nullable(),
  child_name: z.string().nullable(),
  total: z.int(),
});

/** By type, so that secrets and agents come before the scopes of tools; the newest first. */
async function readHeldGrants(
  trx: Knex.Transaction,
  { workspaceId, agentId }: Whose,
): Promise<Pick<AgentAuthority, 'grants' | 'more_grants'>> {
  const query = trx('active_grants as g')
    .leftJoin('agents as c', (on) =>
      on.on('c.workspace_id', 'g.workspace_id').on(trx.raw(`c.id::text = g.details ->> 'child_agent_id'`)),
    )
    .where({ 'g.workspace_id': workspaceId, 'g.agent_subject_id': agentId })
    // A session's own grants are of no use to a new session.
    .whereIn('g.scope', ['persistent', 'once'])
    .whereNull('g.bound_session_id')
    .whereIn('g.grant_type', grantType.options)
    .orderByRaw('g.grant_type, g.granted_at desc, g.id')
    .limit(mostOfAuthority)
    .select(grantColumns.map((column) => `g.${column}`))
    .select({ child_id: 'c.id', child_name: 'c.name' }, trx.raw('count(*) over () as total'));
  const rows = await readRows(query, grantWithChild);
  return {
    grants: rows.flatMap(({ child_id, child_name, total: _total, ...row }) => {
      const grant = presentGrant(row);
      return grant === null
        ? []
        : [heldGrant.strip().parse({ ...grant, child_agent: namedOrNull(child_id, child_name) })];
    }),
    more_grants: more(rows[0]?.total),
  };
}
