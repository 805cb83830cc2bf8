import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import type { Session } from '../../../contract/session.ts';
import { controlKey, isSignedBody, verifyControlHead } from '../../../contract/session-keys.ts';
import { controlRequestHeader, injectRequest } from '../../../contract/sidecar.ts';
import { createInbox, type Inbox, InputGapError } from '../../../sidecar/inputs/inbox.ts';
import { addSessionInput } from '../../../store/session-inputs/inputs.ts';
import { setControlUrl } from '../../../store/sessions/sessions.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { announcedSeed, seededRandom } from '../../support/seeded-random.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let tenant: Tenant;
const ports: ControlPort[] = [];

beforeAll(async () => {
  activities = await createTestActivities();
  tenant = await activities.tenant();
});
afterEach(() => {
  for (const port of ports.splice(0)) {
    port.close();
  }
});
afterAll(() => activities.drop());

const newSession = async () => tenant.session(await tenant.agent());

/** A control port with a sidecar's inbox behind it, and the signature checked. */
class ControlPort {
  /** A restarted sidecar has a new, empty one. */
  inbox: Inbox = createInbox();
  /** Sizes of the messages that were posted. */
  posted: number[] = [];
  /** Statuses that override those of the next requests to `/inject`. */
  answers: number[] = [];
  /** Called when messages have arrived, before they are accepted. */
  onPost: () => void = () => undefined;
  private server: Server | undefined;

  static async open(session: Session): Promise<ControlPort> {
    const port = new ControlPort();
    ports.push(port);
    const key = controlKey(activities.dependencies.sessionKeySeed, session.id);
    port.server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      response.statusCode = isSigned(key, request, body) ? port.take(request, body) : 401;
      response.end(JSON.stringify({ ok: true, last_seq: port.inbox.lastSeq }));
    });
    await new Promise<void>((resolve) => port.server?.listen(0, '127.0.0.1', resolve));
    const { port: taken } = port.server.address() as AddressInfo;
    await setControlUrl(activities.db, session.id, `http://127.0.0.1:${taken}`);
    return port;
  }

  private take({ method, url }: IncomingMessage, body: Buffer): number {
    if (`${method} ${url}` === 'GET /health') {
      return 200;
    }
    this.posted.push(body.length);
    this.onPost();
    const answer = this.answers.shift();
    if (answer !== undefined) {
      return answer;
    }
    try {
      this.inbox.accept(injectRequest.parse(JSON.parse(body.toString())).messages);
      return 200;
    } catch (error) {
      return error instanceof InputGapError ? 409 : 422;
    }
  }

  get messages(): InputMessage[] {
    return this.inbox.after(0);
  }

  close(): void {
    this.server?.close();
  }
}

function isSigned(key: string, request: IncomingMessage, body: Buffer): boolean {
  const { method = '', url: path = '', headers } = request;
  const head = verifyControlHead(key, String(headers[controlRequestHeader]), {
    method,
    path,
    nowMs: Date.now(),
  });
  return head !== null && isSignedBody(head, body);
}

const say = (session: Session, text: string) =>
  addSessionInput(activities.db, session.id, {
    id: randomUUID(),
    kind: 'user_message',
    text,
    decision: null,
    inputRequestId: null,
  });
const deliver = ({ id }: Session) => activities.run('deliverInputs', { sessionId: id });
const waiting = ({ id }: Session): Promise<number[]> =>
  activities.db('session_inputs').where({ session_id: id }).whereNull('delivered_at').pluck('seq');

describe('delivering messages', () => {
  it('posts all of them in order, signed, and only once', async () => {
    const session = await newSession();
    const port = await ControlPort.open(session);
    const texts = Array.from({ length: 230 }, (_, index) => `message ${index}`);
    for (const text of texts) {
      await say(session, text);
    }
    await deliver(session);
    await deliver(session);
    expect(port.messages.map(({ text }) => text)).toEqual(texts);
    expect(port.posted).toHaveLength(3);
    expect(await waiting(session)).toEqual([]);
  });

  it('retries what was not acknowledged', async () => {
    const session = await newSession();
    const port = await ControlPort.open(session);
    await say(session, 'hello');
    port.answers = [503];
    await expect(deliver(session)).rejects.toThrow('the sidecar answered 503');
    expect(await waiting(session)).toEqual([1]);
    await deliver(session);
    expect(await waiting(session)).toEqual([]);
  });

  it('fails when the sidecar acknowledges less than it was sent, so that the rest is resent', async () => {
    const session = await newSession();
    const port = await ControlPort.open(session);
    await say(session, 'hello');
    port.answers = [200];
    await expect(deliver(session)).rejects.toThrow('did not take');
    expect(await waiting(session)).toEqual([1]);
    await deliver(session);
    expect(port.messages.map(({ text }) => text)).toEqual(['hello']);
  });

  it('resends everything to a sidecar that misses earlier messages', async () => {
    const session = await newSession();
    const port = await ControlPort.open(session);
    await say(session, 'one');
    await deliver(session);
    const restarted = await ControlPort.open(session);
    await say(session, 'two');
    await deliver(session);
    expect(restarted.messages.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(port.messages).toHaveLength(1);
  });

  it('resends everything to a sidecar that was restarted after all was acknowledged', async () => {
    const session = await newSession();
    const port = await ControlPort.open(session);
    await say(session, 'one');
    await deliver(session);
    port.inbox = createInbox();
    await deliver(session);
    expect(port.messages.map(({ text }) => text)).toEqual(['one']);
  });

  it('sends batches of 2 MiB at most, and neither loses nor duplicates messages when the sidecar is killed in between', async () => {
    const random = seededRandom(announcedSeed('delivering', 'DELIVERY_SEED'));
    const session = await newSession();
    const port = await ControlPort.open(session);
    const texts: string[] = [];
    for (let index = 0; index < 40; index += 1) {
      // Characters of up to six bytes in JSON, and messages as large as they may be.
      const letter = random.pick(['a', '\u0001', '"', 'ü', '界']);
      texts.push(`${index} ${letter.repeat(random.below(random.chance(20) ? 256 * 1024 : 20_000))}`);
      await say(session, texts.at(-1) ?? '');
    }
    const kills = new Set(Array.from({ length: 4 }, () => random.below(12)));
    port.onPost = () => {
      if (kills.delete(port.posted.length)) {
        port.inbox = createInbox();
      }
    };
    for (let attempt = 0; attempt < 20 && (await waiting(session)).length > 0; attempt += 1) {
      await deliver(session).catch(() => undefined);
    }
    expect(port.messages.map(({ text }) => text)).toEqual(texts);
    // Each message's envelope adds to its row.
    expect(Math.max(...port.posted)).toBeLessThan(2 * 1024 * 1024 + 100 * 1024);
    expect(await waiting(session)).toEqual([]);
  });

  it('sends nothing to an address at which the session does not run', async () => {
    const session = await newSession();
    await ControlPort.open(session);
    await setControlUrl(activities.db, session.id, 'http://169.254.169.254:80');
    await say(session, 'hello');
    await expect(deliver(session)).rejects.toThrow('an address that is not its own');
    expect(await waiting(session)).toEqual([1]);
  });

  it('waits for a sidecar that has not reported yet, and sends no request without messages', async () => {
    const session = await newSession();
    await deliver(session);
    await say(session, 'early');
    await expect(deliver(session)).rejects.toThrow('has not reported');
  });
});
