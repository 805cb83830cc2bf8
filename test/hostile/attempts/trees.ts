/** What agents try against the sessions around theirs, as texts that they run. */
import type { Kit, Message } from '../inside/kit.ts';

export interface PlatformCall {
  tool: string;
  args: object;
}

/** Calls tools of the platform one after the other; the code of each refusal, or the result. */
export const callPlatform = async (
  kit: Kit,
  _target: unknown,
  calls: PlatformCall[],
): Promise<(string | Record<string, unknown>)[]> => {
  const said: (string | Record<string, unknown>)[] = [];
  for (const { tool, args } of calls) {
    const { result, error } = JSON.parse(JSON.stringify((await kit.callTool('platform', tool, args)) ?? {}));
    said.push(result?._meta?.['platform/error']?.code ?? result?.structuredContent ?? error ?? 'no answer');
  }
  return said;
};

/** Makes the same call of a tool of the platform several times at once. */
export const callAtOnce = async (
  kit: Kit,
  _target: unknown,
  { tool, args, times }: PlatformCall & { times: number },
): Promise<string[]> => {
  const wire = await kit.openServer('platform');
  const ids = Array.from({ length: times }, (_, index) => index);
  wire.send(...ids.map((id) => kit.call(id, tool, args)));
  const answers = await Promise.all(ids.map((id) => wire.answer(id, 60_000)));
  wire.close();
  return answers.map((answer) => /"code\\*":\\*"(\w+)/.exec(JSON.stringify(answer))?.[1] ?? 'done').sort();
};

/** Every message that the agent has got so far. */
export const readInbox = (kit: Kit): Promise<Message[]> =>
  new Promise((resolve) => {
    let text = '';
    const request = kit.http.get({ socketPath: kit.sidecar, path: '/input', agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', () => undefined);
    });
    request.on('error', () => undefined);
    setTimeout(() => {
      request.destroy();
      const lines = text.split('\n').filter((line) => line.startsWith('data: '));
      resolve(lines.map((line) => JSON.parse(line.slice('data: '.length))));
    }, 2000);
  });

/** Publishes a question past the tool for it. */
export const publishQuestion = async (kit: Kit): Promise<number> => {
  const payload = { input_request_id: '00000000-0000-4000-8000-000000000001', prompt: 'Which?', options: [] };
  return (await kit.post('/event', { type: 'agent.input_requested', payload })).status;
};
