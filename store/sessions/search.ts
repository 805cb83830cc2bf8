/** Sessions by the words that somebody typed the beginnings of. */
import type { Knex } from 'knex';
import type { Db } from '../database.ts';
import { readableCondition } from './conditions.ts';

/**
 * What one search looks at, whoever asks: the newest sessions, and those that its index finds, of as many
 * words, and for so long.
 */
export const searchBounds = { newest: 500, found: 5_000, words: 8, limitMs: 2_000 };

/** `readableBy`: only what this user may read without being an admin. */
export interface AskedWords {
  workspaceId: string;
  text: string;
  readableBy?: string | undefined;
}

/**
 * Ids of sessions of the workspace in whose name or first words, or in whose agent's name, each word of
 * `text` begins one; a single character is a word of its own, since it begins too many. Of more words the
 * longest count. Of words that more sessions have than it looks at it finds the newest ones, and some of the
 * others: sessions that the person may not read take no place among them.
 */
export const sessionsByWords = (db: Db, { workspaceId, text, readableBy }: AskedWords): Knex.Raw => {
  const { newest, found, words } = searchBounds;
  const readable = readableBy === undefined ? 'true' : readableCondition;
  return db.raw(
    `(with asked as (
        select string_agg(
          quote_literal(lexeme) || case when char_length(lexeme) > char_length(:workspaceId) + 2 then ':*' else '' end,
          ' & ')::tsquery as words
        from (
          select lexeme from unnest(session_words(:workspaceId, null, :text))
          order by char_length(lexeme) desc, lexeme limit :words) as longest),
      called as (
        select id from agents
        where workspace_id = :workspaceId
          and session_words(workspace_id, name, '') @@ (select words from asked))
      select id from (
        select id, agent_id, workspace_id, title, prompt from sessions
        where workspace_id = :workspaceId and ${readable}
        order by created_at desc, id desc limit :newest) as newest
      where session_words(workspace_id, title, prompt) @@ (select words from asked)
        or agent_id in (select id from called)
      union
      (select id from sessions
        where session_words(workspace_id, title, prompt) @@ (select words from asked) and ${readable}
        limit :found)
      union
      (select id from sessions where agent_id in (select id from called) and ${readable} limit :found))`,
    { workspaceId, text, newest, found, words, ...(readableBy === undefined ? {} : { userId: readableBy }) },
  );
};
