/**
 * How long a session's history has become, and how long a worker that never saw the
 * session takes to replay it.
 */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { sessionWorkflowId } from '../../contract/workflows.ts';
import { median } from '../shared/harness.ts';

export interface HistoryFigures {
  /** A session whose history has grown long continues in another run; limits are those of one run. */
  runs: number;
  /** Of the longest run. */
  events: number;
  sizeBytes: number;
  /** The median, with the start of a worker for it. */
  replayMs: number;
}

/** Of a Temporal server's defaults: a run with more is ended. */
export const serverLimits = { events: 51_200, sizeBytes: 50 * 1024 * 1024 };
const replays = 5;

export async function measureHistory(
  client: Client,
  sessionId: string,
  workflowBundle: { code: string },
): Promise<HistoryFigures> {
  const runs = await readRuns(client, sessionId);
  const longest = runs.toSorted((a, b) => b.events - a.events)[0];
  if (longest === undefined) {
    throw new Error('the session has no history');
  }
  const times: number[] = [];
  for (let replay = 0; replay < replays; replay += 1) {
    const startedMs = performance.now();
    await Worker.runReplayHistory({ workflowBundle }, longest.history);
    times.push(performance.now() - startedMs);
  }
  const { events, sizeBytes } = longest;
  return { runs: runs.length, events, sizeBytes, replayMs: median(times) };
}

interface Run {
  history: unknown;
  events: number;
  sizeBytes: number;
}

/** From the last run to the first. */
async function readRuns(client: Client, sessionId: string): Promise<Run[]> {
  const runs: Run[] = [];
  let runId: string | undefined;
  do {
    const handle: WorkflowHandle = client.workflow.getHandle(sessionWorkflowId(sessionId), runId);
    const history = await handle.fetchHistory();
    const { historySize } = await handle.describe();
    const events = history.events ?? [];
    runs.push({ history, events: events.length, sizeBytes: historySize ?? Number.NaN });
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  } while (runId !== undefined);
  return runs;
}
