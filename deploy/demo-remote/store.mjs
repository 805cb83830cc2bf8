/**
 * What the authorization server keeps, in memory; of it what has to survive a restart in one JSON file, too.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Of the rest, a sign-in that was under way begins again. */
const kept = new Set(['Client', 'RegistrationAccessToken', 'Grant', 'RefreshToken']);
/** Nobody stays signed in: whoever comes says who they are, and switching people takes no sign-out. */
const forgotten = new Set(['Session']);
/** Beyond it the oldest is forgotten, which costs its client a registration, or its person a sign-in. */
const maxEntries = 1_000;

/**
 * Returns the `adapter` of oidc-provider. A file that cannot be read counts as none: clients register
 * again. `nowMs` is the time.
 */
export function openStore(file, nowMs = Date.now) {
  const entries = read(file);
  const isOver = ({ expiresAtMs }) => expiresAtMs !== null && expiresAtMs <= nowMs();

  /** Removes what is over, and writes the file in one step. */
  const save = () => {
    const over = [...entries].filter(([, entry]) => isOver(entry)).map(([key]) => key);
    const excess = [...entries.keys()].slice(0, Math.max(0, entries.size - maxEntries));
    for (const key of [...over, ...excess]) {
      entries.delete(key);
    }
    const unfinished = `${file}.${process.pid}`;
    const lasting = [...entries].filter(([, { model }]) => kept.has(model));
    writeFileSync(unfinished, JSON.stringify(lasting), { mode: 0o600 });
    renameSync(unfinished, file);
  };

  return (model) => {
    const keyOf = (id) => `${model}:${id}`;
    const changed = () => (kept.has(model) ? save() : undefined);
    const find = (id) => {
      const entry = entries.get(keyOf(id));
      return entry === undefined || isOver(entry) ? undefined : entry.payload;
    };
    return {
      find: async (id) => find(id),
      findByUid: async (uid) =>
        [...entries.values()].find(
          (entry) => entry.model === model && entry.payload.uid === uid && !isOver(entry),
        )?.payload,
      findByUserCode: async () => undefined,
      async upsert(id, payload, expiresInSeconds) {
        if (forgotten.has(model)) {
          return;
        }
        const expiresAtMs = expiresInSeconds === undefined ? null : nowMs() + expiresInSeconds * 1000;
        entries.delete(keyOf(id));
        entries.set(keyOf(id), { model, payload, expiresAtMs });
        changed();
      },
      async consume(id) {
        const payload = find(id);
        if (payload !== undefined) {
          payload.consumed = Math.floor(nowMs() / 1000);
          changed();
        }
      },
      async destroy(id) {
        entries.delete(keyOf(id));
        changed();
      },
      async revokeByGrantId(grantId) {
        for (const [key, entry] of entries) {
          if (entry.model === model && entry.payload.grantId === grantId) {
            entries.delete(key);
          }
        }
        changed();
      },
    };
  };
}

function read(file) {
  if (!existsSync(file)) {
    return new Map();
  }
  try {
    return new Map(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    process.stderr.write(`${file} cannot be read; clients have to register again.\n`);
    return new Map();
  }
}
