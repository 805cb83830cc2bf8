/**
 * An agent without a network that asks a language model, through the front door: granted, counted, refused
 * beyond its budget, and taken back.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import type { Grant } from '../../contract/grant.ts';
import type { ModelUsage } from '../../contract/model-access.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { describeWith } from '../support/sandbox-programs.ts';

const key = 'sk-test-open-sesame-of-the-endpoint';

/** Asks three times, says each status as an event, and ends. */
const script = `
const http = require('node:http');
const body = JSON.stringify({ model: 'test-model', max_tokens: 40, messages: [{ role: 'user', content: 'hello' }] });
const send = (options, text) => new Promise((resolve, reject) => http.request({ method: 'POST', agent: false,
  headers: { 'content-type': 'application/json' }, ...options }, async (response) => {
    const answer = Buffer.concat(await response.toArray()).toString();
    resolve({ status: response.statusCode, answer });
  }).on('error', reject).end(text));
const main = async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    const { status, answer } = await send({ socketPath: process.env.ANTHROPIC_UNIX_SOCKET, path: '/v1/messages' }, body);
    const { error } = JSON.parse(answer);
    const text = status + ' ' + (error ? error.message : 'answered');
    await send({ socketPath: process.env.PLATFORM_SIDECAR_SOCKET, path: '/event' },
      JSON.stringify({ type: 'agent.message', payload: { text } }));
  }
};
main().catch((error) => { console.error(error); process.exit(1); });
`;

describeWith('bwrap', 'slirp4netns')('access to a language model', () => {
  let endpoint: Server;
  let platform: Platform;
  let ada: FrontDoor;
  const keys: unknown[] = [];

  beforeAll(async () => {
    endpoint = createServer(async (request, response) => {
      await request.toArray();
      keys.push(request.headers['x-api-key']);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'message', usage: { input_tokens: 30, output_tokens: 20 } }));
    }).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
    platform = await startPlatform({
      env: { PRIVATE_MCP_HOSTS: url, MODEL_BASE_URL: url },
      usesRunServers: true,
      withoutDemoSession: true,
    });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    await ada.ok('PUT', `${ada.workspace}/secrets/MODEL_KEY`, { value: key });
  });
  afterAll(async () => {
    await platform?.stop();
    endpoint?.closeAllConnections();
    endpoint?.close();
  });

  it('is used under a grant, up to the budget, and its key is nowhere else', async () => {
    const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, {
      name: 'thinker',
      run: { type: 'command', command: 'node', args: ['-e', script] },
      model_access: { api_key: '${MODEL_KEY}', requests_per_session: 2 },
    });
    const refused = await ada.startSession(agent.id);
    expect(await ada.ended(refused.id)).toMatchObject({
      status: 'failed',
      status_reason: expect.stringContaining('which needs a model_key grant'),
    });
    await ada.ok<{ grant: Grant }>('POST', `${ada.workspace}/grants`, {
      grant_type: 'model_key',
      details: { secret_name: 'MODEL_KEY', endpoint: 'default' },
      scope: 'persistent',
      agent_subject_id: agent.id,
    });
    const session = await ada.startSession(agent.id);
    expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
    const events = await ada.events(session.id);
    const said = events.filter(({ type }) => type === 'agent.message');
    expect(said.map(({ payload }) => (payload as { text: string }).text)).toEqual([
      '200 answered',
      '200 answered',
      expect.stringMatching(/^400 .*limit: 2/),
    ]);
    expect(keys).toEqual([key, key]);
    const usage = await untilFound('the usage', async () => {
      const path = `/api/sessions/${session.id}/model-usage`;
      const { model_usage: now } = await ada.ok<{ model_usage: ModelUsage }>('GET', path);
      return now.reserved_tokens === 0 ? now : null;
    });
    expect(usage).toMatchObject({ requests: 2, counted_tokens: 100, reached: 'requests' });
    expect(JSON.stringify(events)).not.toContain(key);
    expect(platform.output()).not.toContain(key);
  });
});
