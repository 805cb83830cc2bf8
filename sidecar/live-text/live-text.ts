/**
 * The message that the agent still writes (docs/decisions/0070-live-text.md). The agent is untrusted: what
 * people were shown only grows, and in the end it is an event, whole or marked as cut off.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEventInput } from '../../contract/agent-contract.ts';
import { bytesOfText, liveTextEveryMs, maxLiveTextBytes, withoutControls } from '../../contract/live-text.ts';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';
import { createTokenBucket } from '../../lib/limits/token-bucket.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal } from '../platform-api/request.ts';

type Message = Extract<AgentEventInput, { type: 'agent.message' }>['payload'];

export interface LiveText {
  /**
   * All that the agent has written of a message so far. When it does not begin with what was written before,
   * that was another message, which is cut off. Throws as `publishEvent` does.
   */
  write(text: string): Promise<void>;
  /** Publishes a complete message: the one that was written, where it begins with that. Returns its id. */
  publish(message: Message): Promise<string>;
  /** Tells what was written last, within a second, unless a piece is on its way. */
  close(): Promise<void>;
}

type Api = Pick<PlatformApi, 'publishEvent' | 'showLiveText'>;

interface Open {
  id: string;
  text: string;
  /** What the platform has of it. */
  told: string;
}

/** Of an agent that says more often what it has written, each request waits. */
const perMinute = 1200;
const maxWaitMs = 10_000;
/** A message that does not grow for so long is over. */
const silenceMs = 60_000;
const tellLimitMs = 5_000;
const closeLimitMs = 1_000;
/** Of a long text: as many bytes a second, since each time all of it is told. */
const toldBytesPerMs = 64;

export function createLiveText(api: Api): LiveText {
  const inTurn = createKeyedMutex();
  const pieces = createTokenBucket({ perMinute, maxWaitMs });
  let open: Open | null = null;
  let telling: AbortController | null = null;
  let nextAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let silence: NodeJS.Timeout | undefined;

  const forget = () => {
    open = null;
    clearTimeout(timer);
    timer = undefined;
    clearTimeout(silence);
    // What is on its way would come after the message itself.
    telling?.abort();
  };
  const tell = async (limitMs: number) => {
    const message = open;
    if (message === null || telling !== null || message.text === message.told) {
      return;
    }
    const { text } = message;
    const aborted = new AbortController();
    telling = aborted;
    nextAtMs = performance.now() + pauseMs(text);
    try {
      await api.showLiveText({ message_id: message.id, text }, limitMs, aborted.signal);
      message.told = text;
    } catch (error) {
      // It is dropped: the next time all of the text is told, once there is more of it where it was refused.
      message.told = error instanceof PlatformRefusal ? text : message.told;
    } finally {
      telling = null;
      tellSoon();
    }
  };
  const tellSoon = () => {
    if (open !== null && open.text !== open.told && telling === null) {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          void tell(tellLimitMs);
        },
        Math.max(0, nextAtMs - performance.now()),
      );
    }
  };
  const cutOff = async () => {
    const left = open;
    forget();
    if (left !== null && left.text.trim() !== '') {
      await publishAs(left.id, { text: left.text, channel: null, cut_off: true });
    }
  };
  const publishAs = async (id: string, payload: Message) => {
    await api.publishEvent({ id, type: 'agent.message', payload });
    return id;
  };
  const waitForMore = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      void inTurn('message', cutOff).catch(() => undefined);
    }, silenceMs);
  };

  return {
    async write(given) {
      const waitMs = pieces.take();
      if (waitMs === null) {
        throw new PlatformRefusal(
          429,
          'rate_limited',
          `The limit is ${perMinute} pieces of messages a minute`,
        );
      }
      if (waitMs > 0) {
        await sleep(waitMs);
      }
      return inTurn('message', async () => {
        const text = shownOf(given);
        if (open !== null && !text.startsWith(open.text)) {
          await cutOff();
        }
        open ??= { id: randomUUID(), text: '', told: '' };
        open.text = text;
        waitForMore();
        tellSoon();
      });
    },
    publish(message) {
      if (open === null) {
        return publishAs(randomUUID(), message);
      }
      return inTurn('message', async () => {
        const isWritten = open !== null && shownOf(message.text).startsWith(open.text);
        if (!isWritten) {
          await cutOff();
        }
        // It stays open when this fails, so that another attempt is the same event.
        const id = await publishAs(open?.id ?? randomUUID(), message);
        forget();
        return id;
      });
    },
    async close() {
      clearTimeout(timer);
      clearTimeout(silence);
      await tell(closeLimitMs);
      forget();
    },
  };
}

/** As much of it as may be shown. */
export function shownOf(text: string): string {
  const clean = withoutControls(text.slice(0, maxLiveTextBytes));
  if (bytesOfText(clean) <= maxLiveTextBytes) {
    return clean;
  }
  const bytes = new TextEncoder().encode(clean).subarray(0, maxLiveTextBytes);
  // Half a character at the end is left out.
  return new TextDecoder().decode(bytes, { stream: true });
}

const pauseMs = (text: string): number => Math.max(liveTextEveryMs, bytesOfText(text) / toldBytesPerMs);
