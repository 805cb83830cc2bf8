/**
 * A session of an agent that asks a scripted model, in its own image: what the tests of the engine and of a
 * cluster share.
 */
import { expect } from '@jest/globals';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import type { LaunchSecrets, Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import type { ModelStub } from '../../support/model-stub/start-model-stub.ts';
import { call, type ModelRequest, newResults, say, type Turn, turn } from '../../support/model-stub/turns.ts';
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

/** Some agents ask for a title of the conversation, without tools. */
const isOfTask = ({ tools = [] }: ModelRequest) => tools.length > 0;

/** Of a model that writes a report, reads it and ends the session. */
export function scriptOfReport(): Turn[] {
  const answers = [
    turn(call('files.write_file', { path, content: 'the report' })),
    turn(call('files.read_text_file', { path })),
    turn(call('platform.end_session', ending)),
  ];
  const answer: Turn = (request) =>
    (isOfTask(request) ? answers.shift() : undefined) ?? turn(say('A report'));
  return Array.from({ length: 10 }, () => answer);
}

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
  const asked = model.requests.filter(isOfTask);
  const [written, read] = [1, 2].map((at) => newResults(asked[at] ?? nothing)[0]);
  expect([written, read]).toMatchObject([
    { failed: false },
    { failed: false, text: expect.stringContaining('the report') },
  ]);
  expect(reports.of(id, 'end').map(({ body }) => body)).toEqual([expect.objectContaining(ending)]);
  expect(model.strays).toEqual([]);
  const keys = model.headers.map(
    ({ 'x-api-key': key, authorization }) => key ?? authorization?.replace('Bearer ', ''),
  );
  expect(new Set(keys)).toEqual(new Set([modelKey]));
  for (const container of ['sidecar', 'agent', 'model', 'mcp-files']) {
    expect(await logOf(container)).not.toContain(modelKey);
  }
}
