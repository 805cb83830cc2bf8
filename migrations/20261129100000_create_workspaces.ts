import type { Knex } from 'knex';

/** Tenants, people, sign-ins and memberships. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workspaces (
      id uuid primary key default gen_random_uuid(),
      slug text not null unique,
      name text not null,
      log_tool_payloads boolean not null default false,
      allow_runtime_permission_requests boolean not null default true,
      members_grant_persistent boolean not null default false,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      -- Null: records of tool calls are kept without a time limit.
      tool_call_retention_days integer check (tool_call_retention_days between 1 and 36500),
      keep_refused_calls boolean not null default true,
      -- When an admin closed it.
      closed_at timestamptz,
      closed_by uuid,
      reopenable_until timestamptz,
      -- Null until all that has to end with it was asked to.
      closing_ended_at timestamptz,
      last_exported_at timestamptz,
      -- Of the bytes of the last whole export of the audit trail.
      last_export_sha256 text
    );

    -- What the installation keeps of a workspace that was removed permanently. Nothing refers to it, and it
    -- refers to nothing: it outlives all of that.
    create table removed_workspaces (
      -- The workspace's own.
      id uuid primary key,
      slug text not null,
      name text not null,
      closed_at timestamptz not null,
      closed_by uuid,
      -- As the operator says it, or the sweep.
      removed_by text not null,
      started_at timestamptz not null default clock_timestamp(),
      -- Null while rows of it are left.
      removed_at timestamptz,
      -- Rows that were removed, by table.
      counts jsonb not null default '{}',
      last_exported_at timestamptz,
      last_export_sha256 text
    );

    create table users (
      id uuid primary key default gen_random_uuid(),
      issuer text not null,
      subject text not null,
      email text not null,
      name text not null,
      created_at timestamptz not null default now(),
      -- By the identity provider: only then may the address identify the person.
      email_verified boolean not null default false,
      unique (issuer, subject)
    );
    create index users_by_email on users (lower(email));

    create table sign_ins (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz
    );

    create table members (
      workspace_id uuid not null references workspaces on delete cascade,
      user_id uuid not null references users on delete cascade,
      role text not null check (role in ('admin', 'member')),
      added_at timestamptz not null default now(),
      primary key (workspace_id, user_id)
    );
    create index members_by_user on members (user_id);

    -- Whatever changes who may read what is announced to the streams of that user, even when our code did not
    -- make the change. An announcement is the id of a user; it only says that the tables must be read again.
    create function announce_access_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('access_changes', coalesce(new.user_id, old.user_id)::text);
      return null;
    end $$;
    create trigger members_announce_access after insert or update or delete on members
      for each row execute function announce_access_change();
    create trigger sign_ins_announce_access after update of revoked_at or delete on sign_ins
      for each row execute function announce_access_change();

    -- Whoever begins something holds, until its transaction ends, a lock that closing the workspace waits for: so
    -- no row that began before is missed after it.
    create function is_open_workspace(workspace uuid) returns boolean language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtextextended('workspace ' || workspace, 0));
      return exists (select from workspaces where id = workspace and closed_at is null);
    end $$;

    -- The database refuses what would begin in a closed workspace, whoever writes it.
    create function refuse_in_closed_workspace() returns trigger language plpgsql as $$
    begin
      if not is_open_workspace(new.workspace_id) then
        raise exception 'workspace % is closed', new.workspace_id using errcode = 'WSC01';
      end if;
      return new;
    end $$;
  `);
}
