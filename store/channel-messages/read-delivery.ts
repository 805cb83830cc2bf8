/** What one attempt to deliver a message looks at: the message, and its channel as it is now. */
import * as z from 'zod';
import { channelKind, messageKind } from '../../contract/channel.ts';
import { requestableGrantType } from '../../contract/grant.ts';
import { uuid } from '../../contract/names.ts';
import { requestStatus } from '../../contract/permission-request.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

const delivery = z.object({
  id: uuid,
  kind: messageKind,
  link_origin: z.string().nullable(),
  workspace: z.object({ id: uuid, slug: z.string(), name: z.string(), is_closed: z.boolean() }),
  /** Null when an admin removed it. */
  channel: z
    .object({
      name: z.string(),
      kind: channelKind,
      address: z.string(),
      announces: z.boolean(),
      /** Whether the agent may still post. */
      lists_agent: z.boolean(),
    })
    .nullable(),
  session: z.object({ id: uuid, agent_name: z.string() }).nullable(),
  /** What the agent wrote, as the transcript has it. */
  text: z.string().nullable(),
  request: z
    .object({
      id: uuid,
      status: requestStatus,
      grant_type: requestableGrantType,
      details: z.record(z.string(), z.unknown()),
      /** Of the call that was refused before the agent asked. */
      server: z.string().nullable(),
    })
    .nullable(),
});
export type Delivery = z.infer<typeof delivery>;

const statement = `
  select m.id, m.kind, m.link_origin,
    jsonb_build_object('id', w.id, 'slug', w.slug, 'name', w.name, 'is_closed', w.closed_at is not null) as workspace,
    case when c.id is not null then jsonb_build_object('name', c.name, 'kind', c.kind, 'address', c.address,
      'announces', c.announce_permission_requests,
      'lists_agent', exists (select from channel_agents l where l.channel_id = c.id and l.agent_id = s.agent_id)
    ) end as channel,
    case when s.id is not null then jsonb_build_object('id', s.id, 'agent_name', a.name) end as session,
    e.payload ->> 'text' as text,
    case when r.id is not null then jsonb_build_object('id', r.id, 'status', r.status, 'grant_type', r.grant_type,
      'details', r.details, 'server', r.refused_server
    ) end as request
  from channel_messages m
  join workspaces w on w.id = m.workspace_id
  left join channels c on c.id = m.channel_id
  left join sessions s on s.id = m.session_id
  left join agents a on a.id = s.agent_id
  left join session_events e on e.id = m.id and e.session_id = m.session_id
  left join permission_requests r on r.id = m.request_id
  where m.id = :id`;

/** Null when the message was erased, with its session or its workspace. */
export async function readDelivery(db: Db, id: string): Promise<Delivery | null> {
  const [found] = await readRows(db.raw(statement, { id }), delivery);
  return found ?? null;
}
