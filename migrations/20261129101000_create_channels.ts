import type { Knex } from 'knex';

/** Channels of workspaces, and the messages that are delivered to them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table channels (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      name text not null,
      kind text not null check (kind in ('slack')),
      -- A bare reference to a secret; never its value, which is the webhook's URL.
      address text not null,
      announce_permission_requests boolean not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      updated_by uuid references users on delete set null,
      unique (workspace_id, name),
      unique (workspace_id, id)
    );

    -- Who may post.
    create table channel_agents (
      workspace_id uuid not null,
      channel_id uuid not null,
      agent_id uuid not null,
      primary key (channel_id, agent_id),
      foreign key (workspace_id, channel_id) references channels (workspace_id, id) on delete cascade,
      foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade
    );
    create index channel_agents_by_agent on channel_agents (workspace_id, agent_id);

    -- The text of an agent's message is the session event of the same id; of the others there is none.
    create table channel_messages (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      channel_id uuid,
      channel_name text not null,
      kind text not null check (kind in ('message', 'permission_request', 'test')),
      session_id uuid,
      request_id uuid references permission_requests on delete cascade,
      -- Where people reach the web UI.
      link_origin text,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      failure text,
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      settled_at timestamptz,
      foreign key (workspace_id, channel_id) references channels (workspace_id, id) on delete set null (channel_id),
      foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade,
      unique (channel_id, request_id),
      check ((status = 'failed') = (failure is not null)),
      check ((status = 'pending') = (settled_at is null)),
      check ((kind = 'test') = (session_id is null)),
      check ((kind = 'permission_request') = (request_id is not null))
    );
    create index channel_messages_by_workspace on channel_messages (workspace_id, created_at desc, id desc);
    create index channel_messages_by_session on channel_messages (session_id);
    create index channel_messages_by_request on channel_messages (request_id);
    create index channel_messages_pending on channel_messages (channel_id) where status = 'pending';
    create index channel_messages_settled on channel_messages (settled_at) where settled_at is not null;
    create trigger channel_messages_in_open_workspace before insert on channel_messages
      for each row execute function refuse_in_closed_workspace();
  `);
}
