/** What is launched, and how long it takes. */

export interface Launched {
  /** When it ran, on the clock of `performance.now`; null when it did not get that far. */
  ranAtMs: number | null;
  end(): Promise<void>;
}

export interface LaunchTarget {
  /**
   * Does what is no part of a launch; what it returns launches, and waits until it runs or cannot any more.
   * `everyMs`: how often it looks.
   */
  prepare(everyMs: number): () => Promise<Launched>;
  close(): Promise<void>;
}

export interface LaunchTimes {
  /** From the first start to the last that ran. */
  tookMs: number;
  failed: number;
}

/**
 * One by itself is looked at so often that its time is exact; of many, looking must not take
 * the processor from them.
 */
const everyMsOf = (count: number) => (count === 1 ? 2 : 20);

/** Starts `count` of them at the same moment; all have ended when it returns. */
export async function launch(target: LaunchTarget, count: number): Promise<LaunchTimes> {
  const prepared = Array.from({ length: count }, () => target.prepare(everyMsOf(count)));
  const startedMs = performance.now();
  const all = await Promise.all(prepared.map((start) => start()));
  const ran = all.flatMap(({ ranAtMs }) => ranAtMs ?? []);
  await Promise.all(all.map((each) => each.end()));
  const tookMs = ran.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ran) - startedMs;
  return { tookMs, failed: count - ran.length };
}
