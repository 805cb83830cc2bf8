import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { nobodyToAsk } from '../../../contract/sentences.ts';
import { bundlePrograms } from './programs.ts';
import { TestSession } from './session.ts';

let session: TestSession;

beforeAll(async () => {
  session = new TestSession(await bundlePrograms(), {});
  session.hasOperator = false;
  await session.start();
});
afterAll(() => session.stop());

it('refuses a question in a session that nobody drives at once, each time, and publishes none', async () => {
  const agent = await session.connect('platform');
  const question = { name: 'request_input', arguments: { prompt: 'which?', wait_seconds: 300 } };
  for (let times = 0; times < 2; times += 1) {
    const result = await agent.callTool(question);
    expect(result).toMatchObject({ isError: true });
    expect(result._meta?.['platform/error']).toEqual({
      ...{ code: 'no_operator', message: nobodyToAsk },
      next_steps: [expect.stringContaining('Do not repeat the call')],
    });
  }
  expect(session.platform.events).toEqual([]);
});
