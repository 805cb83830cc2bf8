/**
 * A worker with one piece of work on a session's repository, given on standard input; a test kills it, or it
 * dies by SIGKILL at the moment that it is told.
 */
import { appendFileSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { createProcessRuntime } from '../../../../runtime/process/driver.ts';
import { soFarSocket } from '../../../../runtime/process/repositories/job-stream.ts';
import { repositoryFiles } from '../../../../runtime/process/repositories/repository-files.ts';

const { options, gitHost, work, spec, secrets, directory, takenFile, diesAt } = JSON.parse(
  await text(process.stdin),
);
const at = (moment: string) => moment === diesAt && process.kill(process.pid, 'SIGKILL');

const runtime = await createProcessRuntime({
  ...options,
  privateRepositoryHosts: new Map([[gitHost, 'https']]),
  takeLeftCalls: async () => undefined,
  async takePatch(_sessionId, made) {
    at('made');
    const bytes = 'patch' in made ? made.patch : Buffer.from(made.problem);
    appendFileSync(takenFile, `${bytes.toString('base64')}\n`);
    at('taken');
  },
  logger: pino({}, { write: (line) => void (line.includes('a repository was fetched') && at('fetched')) }),
});
const files = repositoryFiles(directory);
const placesOfMoments = new Map([
  ['asked', join(directory, files.taker, soFarSocket)],
  ['making', files.patchSandbox],
]);
const place = placesOfMoments.get(diesAt);
if (place !== undefined) {
  watch(dirname(place), (_event, name) => name === basename(place) && at(diesAt));
}
const signal = new AbortController().signal;
if (work === 'start') {
  await runtime.start(spec, secrets, signal);
  at('started');
} else if (work === 'stop') {
  await runtime.stop(spec.sessionId, signal);
} else {
  await runtime.makePatch?.(spec.sessionId, signal);
}
