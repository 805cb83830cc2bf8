/**
 * A worker in a separate process, to be killed: `lost-worker-program.ts <task queue> <session that runs>
 * <session whose start hangs>`.
 */
import { startTestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedPlatform, ScriptedSession } from './scripted-activities.ts';

const [taskQueue = '', running = '', starting = ''] = process.argv.slice(2);
const platform = new ScriptedPlatform();
platform.sessions.set(running, new ScriptedSession());
platform.sessions.set(starting, Object.assign(new ScriptedSession(), { startTakesMs: 3_600_000 }));
await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities, taskQueue });
process.stdout.write('ready\n');
