/** An agent's message while it is written: a value of a secret is not shown, whichever pieces it comes in. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createMessageSecrets, type SecretValues } from '../../../../api/internal/message-secrets.ts';

const session = { id: randomUUID(), workspace_id: randomUUID() };
const value = 'open-sesame-1';
const opened = (values: string[], areAll = true) => {
  let reads = 0;
  const secrets = createMessageSecrets(async (): Promise<SecretValues> => {
    reads += 1;
    return { values, areAll };
  });
  const soFar = (text: string, message_id = first) => secrets.soFar(session, { message_id, text });
  return { ...secrets, soFar, reads: () => reads };
};
const first = randomUUID();

describe('a message without values', () => {
  it('holds a possible beginning of a value back until it is known', async () => {
    const { soFar, reads } = opened([value]);
    const said = `it is ${value}, or open-ended`;
    const shown = [];
    for (let end = 1; end <= said.length; end += 1) {
      shown.push((await soFar(said.slice(0, end))) ?? '');
    }
    expect(shown.at(-1)).toBe('it is [secret], or open-ended');
    expect(shown.every((text) => 'it is [secret], or open-ended'.startsWith(text))).toBe(true);
    expect(reads()).toBe(1);
  });

  it('shows the same at a replica that has seen nothing before, and for a text that is another', async () => {
    const text = `${value} and op`;
    expect(await opened([value]).soFar(text)).toBe('[secret] and ');
    const { soFar } = opened([value]);
    await soFar('something else');
    expect(await soFar(text)).toBe('[secret] and ');
    expect(await soFar(`${value.slice(0, 5)}`, randomUUID())).toBe('');
  });

  it('is not shown while a value is not known, nor when there is too much to search for', async () => {
    expect(await opened([], false).soFar('any')).toBeNull();
    const lines = Array.from({ length: 5000 }, (_, at) => `line-${at}`).join('\n');
    expect(await opened([lines]).soFar('any')).toBeNull();
    const alike = Array.from({ length: 100 }, (_, at) => `xxxxxxxx${at}`);
    const { soFar, whole } = opened(alike);
    expect(await soFar('x'.repeat(64 * 1024))).toBeNull();
    expect(await whole(session, 'x'.repeat(64 * 1024))).toBe('[secret]');
  });

  it('is not searched again while none of it may be shown, and its secrets are read once for all', async () => {
    const { soFar, whole, reads } = opened(
      Array.from({ length: 100 }, (_, at) => `xxxxxxxx${at}`),
      false,
    );
    expect(await soFar('a')).toBeNull();
    expect(await soFar('another text')).toBeNull();
    expect(await soFar('a', randomUUID())).toBeNull();
    expect(await whole(session, 'a')).toBe('a');
    expect(reads()).toBe(1);
  });

  it('at its end is searched as a whole for what is known, and stays as it is for a short value', async () => {
    expect(await opened([value], false).whole(session, `it is ${value}`)).toBe('it is [secret]');
    expect(await opened(['main']).whole(session, 'pushed to main')).toBe('pushed to main');
  });
});
