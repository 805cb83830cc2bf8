/**
 * What a check has found correct on this machine, by content: as with the compiler, the same content is
 * not judged again, also in another clone. Only what passed is kept, so a new machine checks everything,
 * and a failure fails again.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { machineCache } from '../../scripts/setup/machine-cache.mjs';

/** Of several branches. */
const mostKept = 20_000;
const entries = z.record(z.string(), z.json());

export class Proven<Evidence extends z.core.util.JSONType = true> {
  readonly #file: string;
  readonly #judge: string;
  readonly #before: Record<string, z.core.util.JSONType>;
  readonly #kept = new Map<string, Evidence>();

  /**
   * `judges` are the texts of all that decides how the check judges: when one changes,
   * nothing counts as proven.
   */
  constructor(name: string, judges: readonly string[], directory = machineCache(process.env)) {
    this.#file = `${directory}/proven-${name}.json`;
    this.#judge = hashOf(judges);
    this.#before = readEntries(this.#file);
  }

  /** What was kept for the same texts; undefined where they have to be judged. */
  evidence(texts: readonly string[], schema: z.ZodType<Evidence>): Evidence | undefined {
    const found = schema.safeParse(this.#before[this.#keyOf(texts)]);
    return found.success ? this.keep(texts, found.data) : undefined;
  }

  /** Call it for what passed alone. */
  keep(texts: readonly string[], evidence: Evidence): Evidence {
    this.#kept.set(this.#keyOf(texts), evidence);
    return evidence;
  }

  /** Stores what was kept, beside what other branches have proven. */
  save(): void {
    const kept = Object.fromEntries(this.#kept);
    const others = Object.entries(readEntries(this.#file)).filter(([key]) => !(key in kept));
    const all = { ...Object.fromEntries(others.slice(-Math.max(0, mostKept - this.#kept.size))), ...kept };
    mkdirSync(dirname(this.#file), { recursive: true });
    const unfinished = `${this.#file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(all));
    renameSync(unfinished, this.#file);
  }

  #keyOf = (texts: readonly string[]): string => hashOf([this.#judge, ...texts]);
}

export const textsOf = (files: readonly string[]): string[] =>
  files.map((file) => readFileSync(file, 'utf8'));

function readEntries(file: string): Record<string, z.core.util.JSONType> {
  return existsSync(file) ? entries.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

/** Lengths are part of it: no two lists of texts run together. */
function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) {
    hash.update(`${text.length}\0`).update(text);
  }
  return hash.digest('hex').slice(0, 32);
}
