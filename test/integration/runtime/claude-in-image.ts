/**
 * A session of the agent `claude` in its own image, with a scripted model: what the tests of the
 * engine and of a cluster share.
 */
import { expect } from '@jest/globals';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import type { LaunchSecrets, Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import type { ModelStub } from '../../support/model-stub/start-model-stub.ts';
import { call, type ModelRequest, newResults, type Turn, turn } from '../../support/model-stub/turns.ts';
import { containerIn, secretsWith } from './driver-under-test.ts';
import { modelAccess, modelKey } from './model-endpoint.ts';
import type { Reports } from './reports.ts';

const gibibyte = 1024 ** 3;
const size = { memoryBytes: gibibyte, cpuMillis: 1000 };
/** What an agent has unless an operator changes it. */
export const sizes = { sidecar: size, agent: size, server: size };

const path = '/workspace/report.txt';
const nothing: ModelRequest = { model: '', messages: [] };
const ending = { outcome: 'completed', summary: 'the report is written' };

/** Of a model that writes a report, reads it and ends the session. */
export const scriptOfReport: readonly Turn[] = [
  turn(call('files.write_file', { path, content: 'the report' })),
  turn(call('files.read_text_file', { path })),
  turn(call('platform.end_session', ending)),
];

/** Of a session whose agent has no network. */
export const withClaude = {
  agent: {
    run: { type: 'builtin' as const, name: 'claude' as const },
    model: 'test-model',
    model_access: modelAccess,
  },
  servers: [
    serverNamed('files', {
      shape: { type: 'command', command: 'mcp-server-filesystem', args: ['/workspace'] },
      tool_scopes: {},
    }),
  ],
};

/** Runs the session until its agent has ended by itself. */
export async function expectReport<Spec>(
  runtime: Runtime<Spec>,
  frozen: FrozenConfiguration,
  { model, reports }: { model: ModelStub; reports: Reports },
): Promise<void> {
  const id = frozen.session_id;
  const secrets: Partial<LaunchSecrets> = { modelKey };
  await runtime.start(runtime.render(frozen), secretsWith(id, secrets));
  const logOf = (container: string) => runtime.logs(id, container, 1_000_000);
  await eventually(async () => {
    const agent = containerIn(await runtime.inspect(id), 'agent');
    expect({ agent, log: await logOf('agent') }).toMatchObject({ agent: { state: 'exited', exitCode: 0 } });
  });
  const [written, read] = [1, 2].map((at) => newResults(model.requests[at] ?? nothing)[0]);
  expect([written, read]).toMatchObject([
    { failed: false },
    { failed: false, text: expect.stringContaining('the report') },
  ]);
  expect(reports.of(id, 'end').map(({ body }) => body)).toEqual([expect.objectContaining(ending)]);
  expect(model.strays).toEqual([]);
  expect(new Set(model.headers.map((headers) => headers['x-api-key']))).toEqual(new Set([modelKey]));
  for (const container of ['sidecar', 'agent', 'model', 'mcp-files']) {
    expect(await logOf(container)).not.toContain(modelKey);
  }
}
