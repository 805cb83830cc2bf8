/**
 * The thread that runs expressions. Each verdict is posted immediately, so that one that is
 * too slow can be identified.
 */
import { parentPort } from 'node:worker_threads';
import { runPattern } from '../../contract/run-pattern.mjs';

parentPort.on('message', (tasks) => {
  for (const task of tasks) {
    parentPort.postMessage(runPattern(task));
  }
});

parentPort.postMessage('ready');
