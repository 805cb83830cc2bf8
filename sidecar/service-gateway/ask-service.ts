/** One request to the service, on a connection of its own: what it answers, or why it did not. */
import { type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import type { Socket } from 'node:net';
import { maxHeaderBytes, mostHeaders } from './headers.ts';
import type { RefusalCode } from './refusal.ts';

/** Early hints and the like, which nobody is told. */
const mostInformational = 16;
const firstFinal = 200;
const lastStatus = 599;

export interface Asked {
  outgoing: ClientRequest;
  /** More of the request was sent: the service has its time again. */
  progress(): void;
  /** Ends it; the visitor is told this, unless the answer has begun. */
  fail(code: RefusalCode): void;
}

export interface AnswerHandlers {
  onAnswer(answer: IncomingMessage): void;
  /** The service switched protocols; without it that is a failure. */
  onSwitch?(answer: IncomingMessage, socket: Socket, first: Buffer): void;
  /** Called once, and not after the others. */
  onFailure(code: RefusalCode): void;
}

export interface Question {
  method: string;
  target: string;
  headers: readonly string[];
  /** Of the head of the answer. */
  limitMs: number;
}

/** Null when it cannot be sent at all, which was reported. */
export function askService(
  socket: Socket,
  { method, target: path, headers, limitMs }: Question,
  { onAnswer, onSwitch, onFailure }: AnswerHandlers,
): Asked | null {
  let outgoing: ClientRequest;
  try {
    outgoing = send({ method, path, headers, createConnection: () => socket, maxHeaderSize: maxHeaderBytes });
  } catch {
    socket.destroy();
    onFailure('bad_request');
    return null;
  }
  let failure: RefusalCode | null = null;
  let isAnswered = false;
  let informational = 0;
  const fail = (code: RefusalCode) => {
    failure ??= code;
    outgoing.destroy();
  };
  const timer = setTimeout(() => fail('service_timeout'), limitMs);
  const answered = (take: () => void) => {
    clearTimeout(timer);
    isAnswered = true;
    take();
  };
  // None is left out without a word: they are counted.
  outgoing.maxHeadersCount = 0;
  // It waited, paused.
  outgoing.once('socket', () => socket.resume());
  outgoing.on('error', () => undefined);
  outgoing.on('information', () => {
    informational += 1;
    if (informational > mostInformational) {
      fail('service_failed');
    }
  });
  outgoing.once('response', (answer) => {
    if (failure !== null || !isUsable(answer)) {
      answer.on('error', () => undefined);
      fail('service_failed');
    } else {
      answered(() => onAnswer(answer));
    }
  });
  outgoing.once('upgrade', (answer, _, first) => {
    if (failure !== null || onSwitch === undefined || !isUsable(answer, true)) {
      socket.destroy();
      fail('service_failed');
    } else {
      answered(() => onSwitch(answer, socket, first));
    }
  });
  outgoing.once('close', () => {
    clearTimeout(timer);
    if (!isAnswered) {
      onFailure(failure ?? (socket.bytesRead === 0 ? 'service_unreachable' : 'service_failed'));
    }
  });
  return { outgoing, progress: () => timer.refresh(), fail };
}

function isUsable({ statusCode = 0, rawHeaders, headers }: IncomingMessage, isSwitch = false): boolean {
  const isExpected = isSwitch
    ? headers.upgrade?.toLowerCase() === 'websocket'
    : statusCode >= firstFinal && statusCode <= lastStatus;
  return isExpected && rawHeaders.length / 2 <= mostHeaders;
}
