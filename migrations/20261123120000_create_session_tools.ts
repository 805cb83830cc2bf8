import type { Knex } from 'knex';

/**
 * Gated tools as rows: those of a catalog entry follow its manifest, those of a session are written when its configuration is
 * frozen and never change. Triggers write both, so that the release before writes them too while an upgrade replaces it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table mcp_server_tools (
      workspace_id uuid not null,
      mcp_server_id uuid not null,
      tool text not null,
      scope text not null,
      primary key (mcp_server_id, tool),
      foreign key (workspace_id, mcp_server_id) references mcp_servers (workspace_id, id) on delete cascade
    );
    create index mcp_server_tools_by_scope on mcp_server_tools (workspace_id, scope);

    create function write_mcp_server_tools() returns trigger language plpgsql as $$
    begin
      delete from mcp_server_tools where mcp_server_id = new.id;
      insert into mcp_server_tools (workspace_id, mcp_server_id, tool, scope)
      select new.workspace_id, new.id, gate.key, gate.value
      from jsonb_each_text(new.manifest -> 'tool_scopes') as gate;
      return null;
    end $$;
    create trigger mcp_servers_write_tools after insert or update of manifest on mcp_servers
      for each row execute function write_mcp_server_tools();

    create table session_tools (
      session_id uuid not null references session_configurations on delete cascade,
      server text not null,
      tool text not null,
      scope text not null,
      -- The catalog entry that was frozen as the server; it may have been deleted since.
      entry_id uuid not null,
      -- A server that the session froze with this scope restricts it to admins.
      admin_only boolean not null,
      -- The server's place in the configuration.
      position integer not null,
      primary key (session_id, server, tool)
    );

    create function tools_of_configuration(configuration jsonb)
      returns table (server text, tool text, scope text, entry_id uuid, admin_only boolean, "position" integer)
      language sql immutable as $$
      select frozen ->> 'name', gate.key, gate.value, (frozen ->> 'entry_id')::uuid,
        coalesce(bool_or(frozen ->> 'approvers' = 'admin') over (partition by gate.value), false), place::integer
      from jsonb_array_elements(configuration -> 'servers') with ordinality as servers (frozen, place)
      cross join jsonb_each_text(frozen -> 'tool_scopes') as gate
    $$;

    create function write_session_tools() returns trigger language plpgsql as $$
    begin
      insert into session_tools (session_id, server, tool, scope, entry_id, admin_only, position)
      select new.session_id, server, tool, scope, entry_id, admin_only, position
      from tools_of_configuration(new.configuration);
      return null;
    end $$;
    create trigger session_configurations_write_tools after insert on session_configurations
      for each row execute function write_session_tools();

    create function refuse_session_tool_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the tools of a session never change' using errcode = 'check_violation';
    end $$;
    create trigger session_tools_immutable before update on session_tools
      for each row execute function refuse_session_tool_change();

    -- A null session is the current catalog. A running session counts with what it froze, and with its entry's current state.
    create view admin_only_scopes as
      select entry.workspace_id, gate.scope, null::uuid as session_id, entry.name as server, gate.tool
      from mcp_servers entry
      join mcp_server_tools gate on gate.mcp_server_id = entry.id
      where entry.approvers = 'admin'
      union all
      select sessions.workspace_id, gate.scope, gate.session_id, gate.server, gate.tool
      from session_tools gate
      join sessions on sessions.id = gate.session_id
      where sessions.ended_at is null and (gate.admin_only or exists (
        select from mcp_servers entry where entry.id = gate.entry_id and entry.approvers = 'admin'
      ))`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop view admin_only_scopes;
    drop trigger session_configurations_write_tools on session_configurations;
    drop trigger mcp_servers_write_tools on mcp_servers;
    drop table session_tools, mcp_server_tools;
    drop function write_session_tools, write_mcp_server_tools, tools_of_configuration, refuse_session_tool_change;
  `);
}
