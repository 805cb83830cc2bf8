/** What an agent posts to channels, as texts that it runs. */
import type { Kit } from '../inside/kit.ts';

/** Posts to one after the other; the code of each refusal, or the message's id. */
export const postToEach = async (kit: Kit, _target: unknown, channels: string[]): Promise<string[]> => {
  const said: string[] = [];
  for (const channel of channels) {
    const answer = JSON.stringify(
      await kit.callTool('platform', 'post_message', { text: 'Approve here: https://evil.example', channel }),
    );
    const found =
      /"code\\*":\\*"(\w+)/.exec(answer) ?? /"message_id\\*":\\*"([0-9a-f-]{36})/.exec(answer) ?? [];
    said.push(found[1] ?? answer);
  }
  return said;
};

/** Names that are, look like or lead to the channel `ops`. */
export const namesOfOps: readonly string[] = [
  'ops',
  'OPS',
  ' ops',
  'ops\u200b',
  '\u043eps',
  '\uff4fps',
  '../ops',
  '*',
  "ops' or '1'='1",
];
