/**
 * An agent's messages without the values of secrets that its session was given: whole ones, and each while
 * it is written, where a value that two pieces cut is not shown either (docs/secrets.md#what-is-redacted).
 */
import type { MasterKeys } from '../../config/keys.ts';
import type { LiveTextReport } from '../../contract/live-text.ts';
import type { Session } from '../../contract/session.ts';
import { maxEventTextLength } from '../../contract/session-event.ts';
import { keepNewest } from '../../lib/limits/keep-newest.ts';
import { redactInTurns, redactWithin } from '../../lib/redaction/redact-in-turns.ts';
import { type Redactor, redactorsOf, secretMark } from '../../lib/redaction/redactor.ts';
import type { Db } from '../../store/database.ts';
import { openText } from '../../store/secrets/envelope.ts';
import { readSealed } from '../../store/secrets/secrets.ts';
import { listSecretReferences } from '../../store/session-configurations/configurations.ts';

/** What is looked for. */
export interface SecretValues {
  values: readonly string[];
  /** False when a value that the session has cannot be read any more: it was replaced or cleared. */
  areAll: boolean;
}

type Of = Pick<Session, 'id' | 'workspace_id'>;
export type ReadSecretValues = (session: Of) => Promise<SecretValues>;

export interface MessageSecrets {
  /** Of a message that is complete. Values that cannot be read any more are not looked for. */
  whole(session: Of, text: string): Promise<string>;
  /** Of one that is still written; null when none of it may be shown. */
  soFar(session: Of, report: LiveTextReport): Promise<string | null>;
}

/** A shorter value may be part of any word, and what people read stays as it was. */
const shortestValue = 8;
/** Of texts that are still written: fewer than there may be sessions; what is dropped is searched again. */
const maxKept = 200;
/** For one text that is still written, in all its pieces, and for each of them. */
const mostComparisons = 400_000;
const pieceLimitMs = 100;
/** For one that is whole, which is searched in turns. */
const mostWholeComparisons = 4_000_000;
const wholeLimitMs = 2_000;
/** An agent that publishes one message after the other costs one reading of its secrets in this time. */
const searchKeptMs = 10_000;
const maxSearches = 50;

interface Search {
  redactor(): Redactor;
  areAll: boolean;
}

interface Kept {
  messageId: string;
  /** What was searched, and what of it is shown: all but a possible beginning of a value. */
  text: string;
  shown: string;
  /** Null where none of the message is shown until it is whole. */
  redactor: Redactor | null;
  comparisons: number;
}

export function createMessageSecrets(read: ReadSecretValues): MessageSecrets {
  // In the order of their last pieces. It holds values only while their messages are written.
  const kept = new Map<string, Kept>();
  const searchOf = keepSearches(read);
  const keptOf = async (session: Of, { message_id, text }: LiveTextReport): Promise<Kept> => {
    const known = kept.get(session.id);
    if (known?.messageId === message_id && (known.redactor === null || text.startsWith(known.text))) {
      return known;
    }
    kept.delete(session.id);
    const { redactor: open, areAll } = await searchOf(session);
    const redactor = open();
    const isShown = areAll && !redactor.showsNothing;
    return {
      messageId: message_id,
      text: '',
      shown: '',
      redactor: isShown ? redactor : null,
      comparisons: 0,
    };
  };
  return {
    async whole(session, text) {
      kept.delete(session.id);
      const redactor = (await searchOf(session)).redactor();
      const bytes = Buffer.from(text);
      if (redactor.showsNothing || redactor.comparisons(bytes) > mostWholeComparisons) {
        return secretMark;
      }
      const shown = await redactInTurns(redactor.inTurns(bytes, { isEnd: true }), wholeLimitMs);
      return shown === null ? secretMark : bounded(shown.toString('utf8'));
    },
    async soFar(session, report) {
      const found = await keptOf(session, report);
      searchFurther(found, report.text);
      kept.delete(session.id);
      kept.set(session.id, found);
      keepNewest(kept, maxKept);
      return found.redactor === null ? null : bounded(found.shown);
    },
  };
}

/** Searches what was added to the text; none of it is shown any more when that is too much. */
function searchFurther(kept: Kept, text: string): void {
  const { redactor } = kept;
  if (redactor === null) {
    return;
  }
  const added = Buffer.from(text.slice(kept.text.length));
  kept.comparisons += redactor.comparisons(added);
  const isTooMuch = kept.comparisons > mostComparisons;
  const shown = isTooMuch ? null : redactWithin(redactor.inTurns(added, { isEnd: false }), pieceLimitMs);
  if (shown === null) {
    Object.assign(kept, { redactor: null, text: '', shown: '' });
  } else {
    kept.shown += shown.toString('utf8');
    kept.text = text;
  }
}

/** Reads what is searched for in the messages of a session, and keeps it for some seconds. */
function keepSearches(read: ReadSecretValues): (session: Of) => Promise<Search> {
  const searches = new Map<string, Promise<Search>>();
  const open = async (session: Of): Promise<Search> => {
    const { values, areAll } = await read(session);
    return { redactor: redactorsOf(values.filter(isLongEnough)), areAll };
  };
  return (session) => {
    const known = searches.get(session.id);
    if (known !== undefined) {
      return known;
    }
    const opened = open(session);
    searches.set(session.id, opened);
    keepNewest(searches, maxSearches);
    const forget = () => {
      if (searches.get(session.id) === opened) {
        searches.delete(session.id);
      }
    };
    opened.catch(forget);
    setTimeout(forget, searchKeptMs).unref();
    return opened;
  };
}

const isLongEnough = (value: string): boolean => Buffer.byteLength(value) >= shortestValue;
/** A mark may be longer than what it stands for. */
const bounded = (text: string): string => text.slice(0, maxEventTextLength).toWellFormed();

/** Reads the values of all secrets that the session's parts were given, as far as they can be read. */
export const readSecretValues =
  (db: Db, keys: MasterKeys): ReadSecretValues =>
  async ({ id, workspace_id: workspaceId }) => {
    const used = await listSecretReferences(db, id);
    const names = [...new Set(used.map(({ name }) => name))];
    const sealed = names.length === 0 ? [] : await readSealed(db, workspaceId, names);
    const values = sealed.flatMap((row) => {
      try {
        return [{ ...row, value: openText(keys, { workspaceId, name: row.name }, row) }];
      } catch {
        return [];
      }
    });
    const isThere = (name: string, version: number) =>
      values.some((value) => value.name === name && value.version === version);
    return {
      values: values.map(({ value }) => value),
      areAll: used.every(({ name, version }) => isThere(name, version)),
    };
  };
