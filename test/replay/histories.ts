/**
 * The kept histories. `RECORD_HISTORIES=1 npm test -- test/replay` records the missing ones; to
 * renew one, remove its file.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { startTestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedPlatform } from '../workflows/scripted-activities.ts';
import { scenarios } from './scenarios.ts';

const folder = fileURLToPath(new URL('histories/', import.meta.url));
const fileOf = (name: string) => `${folder}${name}.json`;

export function readHistories(): { name: string; history: unknown }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({
      name: file.replace(/\.json$/, ''),
      history: JSON.parse(readFileSync(`${folder}${file}`, 'utf8')),
    }));
}

/** Runs every scenario that has no history yet on the real server, and keeps what happened. */
export async function recordMissingHistories(): Promise<void> {
  const missing = Object.entries(scenarios).filter(([name]) => !existsSync(fileOf(name)));
  const platform = new ScriptedPlatform();
  const worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
  for (const [name, play] of missing) {
    const { workflowId, runId } = await play({ worker, platform });
    const history = await worker.client.workflow.getHandle(workflowId, runId).fetchHistory();
    writeFileSync(fileOf(name), `${anonymous(historyToJSON(history))}\n`);
  }
  await worker.stop();
}

/**
 * Without what replay does not read and nobody else needs: machine names, and stack traces with their paths.
 */
function anonymous(json: string): string {
  const dropped = new Set(['stackTrace', 'identity', 'binaryChecksum']);
  return JSON.stringify(JSON.parse(json, (key, value) => (dropped.has(key) ? undefined : value)));
}
