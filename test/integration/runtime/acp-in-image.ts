/**
 * A session of the agent `acp` in an image of an agent's author, which is made from the platform's: what the
 * tests of the engine and of a cluster share.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import { controlKey, signControlRequest } from '../../../contract/session-keys.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import type { AcpStep } from '../../support/acp-agent/steps.ts';
import { runEngine } from '../../support/container-engine.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { requirePlatformImages } from '../../support/platform-images.ts';
import { bundleAcpAgent } from '../acp/acp-session.ts';
import type { PlatformStandIn } from '../sidecar/platform-stand-in.ts';
import { userMessage } from '../sidecar/session.ts';
import { containerIn, secretsWith } from './driver-under-test.ts';

const program = '/opt/agent/scripted-agent.mjs';

export interface AcpImage {
  name: string;
  remove(): Promise<void>;
}

/** The scripted agent, by the official SDK, in an image as docs/bring-your-own-agent.md says to make one. */
export async function buildScriptedAcpImage(): Promise<AcpImage> {
  const bundle = bundleAcpAgent();
  try {
    return await buildAcpImage(bundle.directory, 'scripted-agent.js', program);
  } finally {
    bundle.remove();
  }
}

/** `from` is a path in `context`. */
export async function buildAcpImage(context: string, from: string, to: string): Promise<AcpImage> {
  const directory = mkdtempSync(join(tmpdir(), 'acp-image-'));
  const name = `localhost/acp-test:${randomUUID()}`;
  try {
    const dockerfile = join(directory, 'Dockerfile');
    writeFileSync(dockerfile, `FROM ${requirePlatformImages().acp}\nCOPY ${from} ${to}\n`);
    await runEngine(['build', '--file', dockerfile, '--tag', name, context]);
  } finally {
    rmSync(directory, { recursive: true });
  }
  return {
    name,
    async remove() {
      await runEngine(['rmi', name]);
    },
  };
}

const write = (content: string): AcpStep => ({
  ...{ do: 'call', server: 'files', tool: 'write_file' },
  arguments: { path: '/workspace/report.txt', content },
});
const script: AcpStep[][] = [
  [
    write('the report'),
    {
      ...{ do: 'call', server: 'platform', tool: 'request_permission' },
      arguments: {
        ...{ grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'once' },
        ...{ justification: 'to write the report', wait_seconds: 300 },
      },
    },
    write('another report'),
    write('the report'),
    write('the report'),
    {
      ...{ do: 'call', server: 'platform', tool: 'end_session' },
      arguments: { outcome: 'completed', summary: 'the report is written' },
    },
  ],
];

/** Of a session whose agent and server have no network. */
export const withScriptedAcp = {
  agent: {
    run: {
      ...{ type: 'builtin' as const, name: 'acp' as const, preset: 'custom' as const },
      ...{ command: 'node', args: [program] },
    },
    env: { ACP_SCRIPT: { kind: 'value' as const, value: JSON.stringify(script) } },
  },
  servers: [
    serverNamed('files', {
      shape: { type: 'command', command: 'mcp-server-filesystem', args: ['/workspace'] },
    }),
  ],
};

/**
 * Runs the session until its agent has ended by itself: refused, asked for, approved as exactly that call,
 * made once. The platform's part is what docs/grants.md says of a grant that is bound to one call.
 */
export async function expectApprovedCall<Spec>(
  runtime: Runtime<Spec>,
  frozen: FrozenConfiguration,
  platform: PlatformStandIn,
): Promise<void> {
  const id = frozen.session_id;
  const seed = Buffer.alloc(32, 7);
  const grant_id = randomUUID();
  let granted: string | null = null;
  platform.onCheck = ({ call_sha256 = '' }) => {
    if (granted === null || call_sha256 !== granted) {
      return { decision: 'refused', code: 'permission_required', scope: 'files.write' };
    }
    granted = null;
    return { decision: 'allowed', granted_via: grant_id };
  };
  const sidecar = { internal_token: platform.token, control_key: controlKey(seed, id) };
  await runtime.start(runtime.render(frozen), secretsWith(id, { sidecar }));
  const request = await eventually(async () => {
    const [asked] = platform.requests;
    const log = await runtime.logs(id, 'agent', 1_000_000);
    expect({ asked, log, events: platform.events }).toMatchObject({ asked: { scope: 'once' } });
    return asked;
  });
  granted = platform.checks[0]?.call_sha256 ?? 'none';
  await decide(platform, controlKey(seed, id), { request_id: request?.request_id ?? '', grant_id });
  await eventually(async () => {
    const agent = containerIn(await runtime.inspect(id), 'agent');
    const log = await runtime.logs(id, 'agent', 1_000_000);
    expect({ agent, log, events: platform.events }).toMatchObject({
      agent: { state: 'exited', exitCode: 0 },
    });
  });
  const calls = platform.calls.filter(({ server }) => server === 'files');
  const outcomes = ['permission_required', 'permission_required', 'ok', 'permission_required'];
  expect(calls.map(({ outcome }) => outcome)).toEqual(outcomes);
  expect(platform.ends).toEqual([{ outcome: 'completed', summary: 'the report is written' }]);
}

/** As the worker delivers it: signed, to where the sidecar said that it takes messages. */
async function decide(
  { controlUrl }: PlatformStandIn,
  key: string,
  { request_id, grant_id }: { request_id: string; grant_id: string },
): Promise<void> {
  const decision = {
    ...{ request_id, grant_type: 'tool_scope', details: { scope: 'files.write' } },
    ...{ status: 'approved', scope: 'once', grant_id, reason: null },
  };
  const message = { ...userMessage(1, 'It was approved.'), kind: 'permission_decision', decision };
  const [method, path, body] = ['POST', '/inject', JSON.stringify({ messages: [message] })] as const;
  const signature = signControlRequest(key, { method, path, body, atMs: Date.now() });
  const answer = await fetch(`${controlUrl}${path}`, {
    ...{ method, body },
    headers: { 'x-control-request': signature },
  });
  expect(answer.status).toBe(200);
}
