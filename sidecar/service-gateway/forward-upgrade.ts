/** A WebSocket to the service: its handshake as a request, then bytes both ways. */
import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { copyStream } from '../../lib/timing/copy-stream.ts';
import type { DialedConnections } from '../dialed-connections/dialed-connections.ts';
import { answerVisitor } from './answer-visitor.ts';
import { askService } from './ask-service.ts';
import { endToEnd, pairsOf, upgradeHeaders } from './headers.ts';
import type { GatewayLimits } from './limits.ts';
import { refuse } from './refusal.ts';

/** For the last bytes, when one side has ended. */
const lingerMs = 2000;

export async function forwardUpgrade(
  request: IncomingMessage,
  response: ServerResponse,
  { connections, limits }: { connections: DialedConnections; limits: GatewayLimits },
): Promise<void> {
  const { method = '', url: target = '', rawHeaders, socket: visitor } = request;
  const left = new AbortController();
  const leave = () => {
    left.abort();
    visitor.destroy();
  };
  // Before the service has agreed there is nothing to say.
  visitor.once('data', leave).once('end', leave).once('close', leave);
  const socket = await connections.take(limits.connectMs, left.signal);
  if (socket === null) {
    refuse(response, 'service_unreachable');
    return;
  }
  const refuseFailed = () => {
    socket.destroy();
    refuse(response, 'service_failed');
  };
  visitor.once('close', () => socket.destroy());
  const asked = askService(
    socket,
    { method, target, headers: upgradeHeaders(rawHeaders), limitMs: limits.answerMs },
    {
      onAnswer(answer) {
        if (!answerVisitor(answer, response)) {
          refuseFailed();
        }
      },
      onSwitch(answer, service, first) {
        const head = headOf(answer);
        if (head === null) {
          refuseFailed();
          return;
        }
        visitor.off('data', leave).off('end', leave);
        response.detachSocket(visitor);
        visitor.write(head, 'latin1');
        visitor.write(first);
        connect(visitor, service, limits);
      },
      onFailure: (code) => refuse(response, code),
    },
  );
  asked?.outgoing.end();
}

/** Null when it has what no header may have. */
function headOf({ rawHeaders }: IncomingMessage): string | null {
  const pairs = [...pairsOf(endToEnd(rawHeaders)), ['Connection', 'Upgrade'], ['Upgrade', 'websocket']];
  try {
    const lines = pairs.map(([name = '', value = '']) => {
      validateHeaderValue(name, value);
      return `${name}: ${value}\r\n`;
    });
    return `HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`;
  } catch {
    return null;
  }
}

function connect(visitor: Socket, service: Socket, { stalledMs }: GatewayLimits): void {
  const end = () => {
    service.destroy();
    visitor.destroySoon();
  };
  const endSoon = () => setTimeout(end, lingerMs).unref();
  service.on('error', () => undefined);
  service.once('end', endSoon).once('close', end);
  visitor.once('close', end).once('end', () => {
    // What it said last still arrives, if it is taken.
    service.destroySoon();
    endSoon();
  });
  copyStream(visitor, service, { stalledMs, giveUp: end });
  copyStream(service, visitor, { stalledMs: null, giveUp: end });
  service.resume();
  visitor.resume();
}
