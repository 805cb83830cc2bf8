/**
 * Waits for the end of a session's workload. Nothing runs meanwhile: workers signal that it may have
 * changed (docs/decisions/0037).
 */
import { condition } from '@temporalio/workflow';
import type { WorkloadExit } from '../activities/workloads/workload-exit.ts';
import type { SessionState } from './session-state.ts';
import * as steps from './steps.ts';

/**
 * Looks at once, since the end may precede the first signal, or have come between two runs; then after each
 * signal, and when a state counts that has to last. Returns what ends the session.
 */
export async function workloadExit(state: SessionState): Promise<WorkloadExit> {
  const { sessionId } = state;
  let sinceMs: Record<string, number> = {};
  while (true) {
    state.workloadChanged = false;
    const lastingMs = mapValues(sinceMs, (atMs) => Date.now() - atMs);
    const { exit, lasting, lookAgainInMs } = await steps.inspectWorkload({ sessionId, lastingMs });
    if (exit !== null) {
      return exit;
    }
    sinceMs = Object.fromEntries(lasting.map((name) => [name, sinceMs[name] ?? Date.now()]));
    const hasChanged = () => state.workloadChanged;
    await (lookAgainInMs === null
      ? condition(hasChanged)
      : condition(hasChanged, lookAgainInMs, { summary: 'Look at the workload again' }));
  }
}

const mapValues = (values: Record<string, number>, change: (value: number) => number) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
