/**
 * A worker to be killed, whose workloads only wait: `waiting-worker.ts <directory of workloads>`,
 * with the API's environment.
 */
import { apiConfig } from '../../../../config/api.ts';
import { taskQueue } from '../../../../contract/workflows.ts';
import { openDatabase } from '../../../../store/database.ts';
import { startSessionWorker } from '../../../support/session-api.ts';
import { FileRuntime } from './file-runtime.ts';

const [directory = ''] = process.argv.slice(2);
const config = apiConfig.parse(process.env);
const db = openDatabase(config.DATABASE_URL, { poolSize: 10 });
await startSessionWorker({ db, config }, new FileRuntime(directory), { taskQueue, sweepEveryMs: 3000 });
process.stdout.write('ready\n');
