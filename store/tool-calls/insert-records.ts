/**
 * A statement that adds audit events of the session `$1`, each exactly once by its id; the session
 * counts what it has on record. `rows` selects the columns of the insert, and leaves out what was removed (`notRemoved`).
 */
export const insertRecords = (rows: string): string => `
  with inserted as (
    insert into audit_events
      (id, workspace_id, event, at, actor_type, actor_id, resource_type, resource_id, resource_name, session_id, data)
    ${rows}
    on conflict (id) do nothing
    returning id
  )
  update sessions set recorded_calls = recorded_calls + (select count(*) from inserted)
  where id = $1 and exists (select from inserted)`;

/** A condition: no record of this id was removed because of its age. */
export const notRemoved = (id: string): string =>
  `not exists (select from removed_call_ids r where r.call_id = ${id})`;
