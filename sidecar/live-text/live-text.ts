/**
 * The message that the agent still writes (docs/decisions/0070-live-text.md). The agent is untrusted: what
 * people were shown only grows, and in the end it is an event, whole or marked as cut off.
 */
import { randomUUID } from 'node:crypto';
import type { AgentEventInput } from '../../contract/agent-contract.ts';
import { bytesOfText, liveTextEveryMs, maxLiveTextBytes, withoutControls } from '../../contract/live-text.ts';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { createThrottle, type PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal } from '../platform-api/request.ts';

type Message = Extract<AgentEventInput, { type: 'agent.message' }>['payload'];

type Api = Pick<PlatformApi, 'publishEvent' | 'showLiveText'>;

interface Open {
  id: string;
  text: string;
  /** What the platform has of it. */
  told: string;
}

/** Of an agent that says more often what it has written, each request waits. */
const perMinute = 1200;
/** A message that does not grow for so long is over. */
const silenceMs = 60_000;
/** A text that stays as it is: otherwise it would be taken for that of a sidecar that died. */
const againAfterMs = 30_000;
const tellLimitMs = 5_000;
const closeLimitMs = 1_000;
/** Of a long text: as many bytes a millisecond, since each time all of it is told. */
const toldBytesPerMs = 64;

export class LiveText {
  readonly #api: Api;
  readonly #inTurn = createKeyedMutex();
  readonly #inRate = createThrottle(perMinute, 'pieces of messages a minute');
  #open: Open | null = null;
  /** What was cut off last, after a silence, and is an event: the same again is no other message. */
  #silent: Open | null = null;
  #telling: AbortController | null = null;
  /** The end of the piece that was sent last. */
  #sent: Promise<void> = Promise.resolve();
  #nextAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * All that the agent has written of a message so far. When it does not begin with what was written before,
   * that was another message, which is cut off. Throws as `publishEvent` does.
   */
  async write(given: string): Promise<void> {
    await this.#inRate();
    await this.#inTurn('message', async () => {
      const text = shownOf(given);
      if (this.#silent?.text === text) {
        return;
      }
      this.#silent = null;
      if (this.#open !== null && !text.startsWith(this.#open.text)) {
        await this.#cutOff();
      }
      this.#open ??= { id: randomUUID(), text: '', told: '' };
      this.#open.text = text;
      if (performance.now() - this.#nextAtMs > againAfterMs) {
        this.#open.told = '';
      }
      this.#waitForMore();
      this.#tellSoon();
    });
  }

  /** Publishes a complete message: the one that was written, where it begins with that. Returns its id. */
  async publish(message: Message): Promise<string> {
    const id = await this.#inTurn('message', async () => {
      const silent = this.#silent;
      if (silent !== null && message.channel === null && message.text === silent.text) {
        return silent.id;
      }
      this.#silent = null;
      if (this.#open !== null && !shownOf(message.text).startsWith(this.#open.text)) {
        await this.#cutOff();
      }
      if (this.#open === null) {
        return null;
      }
      // It stays open when this fails, so that another attempt is the same event.
      const published = await this.#publishWhole(message, this.#open);
      this.#forget();
      return published;
    });
    // Not in turn: of many at once, each waits for the limits of what is sent, or is refused.
    return id ?? this.#publishAs(randomUUID(), message);
  }

  /** Tells what was written last: a second for what is on its way, and another for this. */
  async close(): Promise<void> {
    clearTimeout(this.#silence);
    await abandonAfter(closeLimitMs, this.#sent, () => undefined);
    clearTimeout(this.#timer);
    await this.#tell(closeLimitMs);
    this.#forget();
  }

  #forget(): void {
    this.#open = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    clearTimeout(this.#silence);
    // What is on its way would come after the message itself.
    this.#telling?.abort();
  }

  async #tell(limitMs: number): Promise<void> {
    const message = this.#open;
    if (message === null || this.#telling !== null || !isUntold(message)) {
      return;
    }
    this.#telling = new AbortController();
    this.#sent = this.#send(message, limitMs, this.#telling.signal);
    await this.#sent;
  }

  async #send(message: Open, limitMs: number, signal: AbortSignal): Promise<void> {
    const { text } = message;
    this.#nextAtMs = performance.now() + pauseMs(text);
    try {
      await this.#api.showLiveText({ message_id: message.id, text }, limitMs, signal);
      message.told = text;
    } catch (error) {
      // It is dropped: the next time all of the text is told, once there is more of it where it was refused.
      message.told = error instanceof PlatformRefusal ? text : message.told;
    } finally {
      this.#telling = null;
      this.#tellSoon();
    }
  }

  #tellSoon(): void {
    if (this.#open === null || this.#telling !== null || !isUntold(this.#open)) {
      return;
    }
    const dueMs = Math.max(0, this.#nextAtMs - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#tell(tellLimitMs);
    }, dueMs);
  }

  /** Returns what is an event now; null when there was nothing to read. */
  async #cutOff(): Promise<Open | null> {
    const left = this.#open;
    this.#forget();
    if (left === null || left.text.trim() === '') {
      return null;
    }
    await this.#publishAs(left.id, { text: left.text, channel: null, cut_off: true });
    return left;
  }

  async #publishWhole(message: Message, open: Open): Promise<string> {
    try {
      return await this.#publishAs(open.id, message);
    } catch (error) {
      if (!(error instanceof PlatformRefusal && error.code === 'conflict')) {
        throw error;
      }
      // The platform has cut it off, and its id is that event's: all of the message is another.
      open.id = randomUUID();
      return this.#publishAs(open.id, message);
    }
  }

  async #publishAs(id: string, payload: Message): Promise<string> {
    await this.#api.publishEvent({ id, type: 'agent.message', payload });
    return id;
  }

  #waitForMore(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      void this.#inTurn('message', async () => {
        this.#silent = await this.#cutOff();
      }).catch(() => undefined);
    }, silenceMs);
  }
}

/** Blank text is nothing that people could read, and is no message of its own. */
const isUntold = ({ text, told }: Open): boolean => text !== told && text.trim() !== '';

/** As much of it as may be shown. */
export function shownOf(text: string): string {
  const clean = withoutControls(text.slice(0, maxLiveTextBytes));
  if (bytesOfText(clean) <= maxLiveTextBytes) {
    return clean;
  }
  const bytes = new TextEncoder().encode(clean).subarray(0, maxLiveTextBytes);
  // Half a character at the end is left out.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

const pauseMs = (text: string): number => Math.max(liveTextEveryMs, bytesOfText(text) / toldBytesPerMs);
