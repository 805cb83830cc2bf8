/** Sessions by the words that somebody typed the beginnings of. */
import type { Knex } from 'knex';
import type { Db } from '../database.ts';

/** What one search looks at, whoever asks: the newest sessions, and those that its index finds. */
export const searchBounds = { newest: 500, found: 5_000 };

/**
 * Ids of sessions of the workspace in whose name or first words, or in whose agent's name, each word of
 * `text` begins one. It says nothing of who may read them: the query that it is part of does. Of words that
 * more sessions have than it looks at it finds the newest ones, and some of the others.
 */
export const sessionsByWords = (db: Db, workspaceId: string, text: string): Knex.Raw =>
  db.raw(
    `(with asked as (
        select string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery as words
        from unnest(session_words(:workspaceId, null, :text))),
      called as (
        select id from agents
        where workspace_id = :workspaceId
          and session_words(workspace_id, name, '') @@ (select words from asked))
      select id from (
        select id, agent_id, workspace_id, title, prompt from sessions
        where workspace_id = :workspaceId order by created_at desc, id desc limit :newest) as newest
      where session_words(workspace_id, title, prompt) @@ (select words from asked)
        or agent_id in (select id from called)
      union
      (select id from sessions
        where session_words(workspace_id, title, prompt) @@ (select words from asked) limit :found)
      union
      (select id from sessions where agent_id in (select id from called) limit :found))`,
    { workspaceId, text, ...searchBounds },
  );
