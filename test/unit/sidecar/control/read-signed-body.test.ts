import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createBodyReader } from '../../../../sidecar/control/control-http.ts';

function request(...chunks: string[]): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  for (const chunk of chunks) {
    message.push(chunk);
  }
  return message;
}

describe('the bodies of the control port', () => {
  it('are read up to the size that was signed', async () => {
    const read = createBodyReader(10);
    const whole = request('abc', 'de');
    whole.push(null);
    expect((await read(whole, 5)).toString()).toBe('abcde');
    await expect(read(request('abcdef'), 5)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(read(request(), 11)).rejects.toMatchObject({ code: 'too_large' });
  });

  it('share one limit, which is released when a body was read or interrupted', async () => {
    const read = createBodyReader(10);
    const slow = request('abc');
    const reading = read(slow, 6);
    await expect(read(request(), 5)).rejects.toMatchObject({ code: 'unavailable' });
    const small = request('abcd');
    small.push(null);
    expect((await read(small, 4)).toString()).toBe('abcd');
    slow.destroy(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
    const large = request('0123456789');
    large.push(null);
    expect(await read(large, 10)).toHaveLength(10);
  });
});
