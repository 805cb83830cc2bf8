/**
 * An agent's messages without the values of secrets that its session was given: whole ones, and each while
 * it is written, where a value that two pieces cut is not shown either (docs/secrets.md#what-is-redacted).
 */
import type { MasterKeys } from '../../config/keys.ts';
import type { LiveTextReport } from '../../contract/live-text.ts';
import type { Session } from '../../contract/session.ts';
import { maxEventTextLength } from '../../contract/session-event.ts';
import { keepNewest } from '../../lib/limits/keep-newest.ts';
import {
  createRedactor,
  createTextRedactor,
  type Redactor,
  secretMark,
} from '../../lib/redaction/redactor.ts';
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
/** For one text: a hundred milliseconds of work. */
const mostComparisons = 400_000;

interface Kept {
  messageId: string;
  /** What was searched, and what of it is shown: all but a possible beginning of a value. */
  text: string;
  shown: string;
  redactor: Redactor;
  comparisons: number;
}

export function createMessageSecrets(read: ReadSecretValues): MessageSecrets {
  // In the order of their last pieces. It holds values only while their messages are written.
  const kept = new Map<string, Kept>();
  const keptOf = async (session: Of, { message_id, text }: LiveTextReport): Promise<Kept | null> => {
    const known = kept.get(session.id);
    if (known?.messageId === message_id && text.startsWith(known.text)) {
      return known;
    }
    kept.delete(session.id);
    const { values, areAll } = await read(session);
    const redactor = createRedactor(values.filter(isLongEnough));
    return areAll && !redactor.showsNothing
      ? { messageId: message_id, text: '', shown: '', redactor, comparisons: 0 }
      : null;
  };
  return {
    async whole(session, text) {
      kept.delete(session.id);
      const { values } = await read(session);
      const redact = createTextRedactor(values.filter(isLongEnough), [text]);
      return redact === null ? secretMark : bounded(redact(text));
    },
    async soFar(session, report) {
      const found = await keptOf(session, report);
      if (found === null) {
        return null;
      }
      const rest = Buffer.from(report.text.slice(found.text.length));
      found.comparisons += found.redactor.comparisons(rest);
      if (found.comparisons > mostComparisons) {
        return null;
      }
      found.shown += found.redactor.push(rest).toString('utf8');
      found.text = report.text;
      kept.delete(session.id);
      kept.set(session.id, found);
      keepNewest(kept, maxKept);
      return bounded(found.shown);
    },
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
