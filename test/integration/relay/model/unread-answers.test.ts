/** An agent that asks a model, and does not read what it answers. */
import { createConnection, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.ts';
import {
  begin,
  deltaEvent,
  endEvents,
  event,
  ModelSession,
  message,
  question,
  sendMessage,
  startEvent,
} from './model-session.ts';

/** More than is on its way between the endpoint and an agent that does not read. */
const pieces = 80;
const piece = 'a'.repeat(128 * 1024);
let session: ModelSession;
let unread: Socket;
beforeEach(() => {
  session = new ModelSession();
});
afterEach(async () => {
  unread.destroy();
  await session.stop();
});

/** Asks, and reads nothing more once the answer has begun; resolves then. */
async function leaveUnread(body: object): Promise<void> {
  const text = JSON.stringify(body);
  unread = createConnection(session.socket);
  unread.on('error', () => undefined);
  unread.write(
    `POST /v1/messages HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  await new Promise((resolve) => unread.once('data', resolve));
  unread.pause();
}

const whole = () => {
  session.respond = (_asked, response) =>
    sendMessage(response, { ...message, content: [{ type: 'text', text: piece.repeat(pieces) }] });
  return question;
};
const streamed = () => {
  session.respond = (_asked, response) => {
    begin(response).write(event(startEvent));
    for (let sent = 0; sent < pieces; sent += 1) {
      response.write(event(deltaEvent(piece)));
    }
    response.end(endEvents.map(event).join(''));
  };
  return { ...question, stream: true };
};
const askAgain = async () => {
  session.respond = (_asked, response) => sendMessage(response);
  return (await session.ask(question)).status;
};

describe.each([
  ['whole', whole],
  ['streamed', streamed],
])('an answer that is %s, and is not read', (_kind, answering) => {
  it('holds its turn until the agent has left', async () => {
    await session.start({ limits: { requests: 1 } });
    await leaveUnread(answering());
    expect(await askAgain()).toBe(429);
    unread.destroy();
    await eventually(async () => expect(await askAgain()).toBe(200));
  });

  it('is cut off when nothing of it is taken for a while', async () => {
    await session.start({ limits: { requests: 1, stalledMs: 300 } });
    await leaveUnread(answering());
    await eventually(async () => expect(await askAgain()).toBe(200));
    let bytes = 0;
    unread.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    const closed = new Promise((resolve) => unread.once('close', resolve));
    unread.resume();
    await closed;
    expect(bytes).toBeLessThan(pieces * piece.length);
  });
});
