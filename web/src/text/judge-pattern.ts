/**
 * Judges the expressions of manifests while somebody types. Few manifests have one, and their engine is
 * larger than a page: it is loaded for the first. Until it is there nothing is said against them; the API
 * judges what is sent.
 */
import type { JudgePattern } from '../../../contract/patterns.ts';

let engine: JudgePattern | null = null;
const listeners = new Set<() => void>();

/** Rejects when its file cannot be had; whoever asks again tries again. */
export async function loadEngine(): Promise<void> {
  const { runPattern } = await import('../../../contract/run-pattern.mjs');
  engine = runPattern;
  for (const listener of listeners) {
    listener();
  }
}

export const judgePattern: JudgePattern = (task) => {
  if (engine !== null) {
    return engine(task);
  }
  void loadEngine().catch(() => undefined);
  return { result: task.text === null ? 'compiles' : 'matches' };
};

/** For those who show what was judged: the engine came. Returns the way to stop. */
export function subscribeEngine(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const hasEngine = (): boolean => engine !== null;
