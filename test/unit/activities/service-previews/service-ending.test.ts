import { expect, it } from '@jest/globals';
import { serviceEndingOf } from '../../../../activities/service-previews/service-ending.ts';
import type { WorkloadExit } from '../../../../activities/workloads/workload-exit.ts';

const exited = (fields: object): WorkloadExit => ({
  ...{ kind: 'agent_exited', exitCode: null, signal: null },
  ...fields,
});

it.each<[WorkloadExit, string]>([
  [exited({ exitCode: 1 }), 'The service exited with code 1'],
  [exited({ exitCode: 0 }), 'The service exited with code 0'],
  [
    exited({ exitCode: 126 }),
    'The service could not be started: its command is not a program (exit code 126)',
  ],
  [exited({ exitCode: 127 }), 'The service could not be started: its command was not found (exit code 127)'],
  [exited({ signal: 'SIGSEGV' }), 'The service was ended by SIGSEGV'],
  [exited({}), 'The service was ended by a signal'],
  [
    exited({ exitCode: 137, reason: 'it used too much memory' }),
    'The service was ended: it used too much memory',
  ],
  [{ kind: 'workload_lost', reason: 'its host is gone' }, 'The service was lost: its host is gone'],
  [{ kind: 'sidecar_lost' }, 'The service ended because its gateway was lost'],
  [
    { kind: 'sidecar_lost', reason: 'too much memory' },
    'The service ended because its gateway was lost: too much memory',
  ],
])('a service whose workload ended by %j has failed, as a sentence', (exit, reason) => {
  expect(serviceEndingOf(exit)).toEqual({ state: 'failed', reason });
});
