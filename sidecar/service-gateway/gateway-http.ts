/**
 * The gateway's control port. Nothing of a request reaches the service before the signature on its
 * head was verified. What the service answers is hostile: it is parsed, given new framing, and never
 * waited for without a limit.
 */
import type { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isSignedServiceRequest, serviceRequestHeader } from '../../contract/service-signature.ts';
import type { DialedConnections } from '../dialed-connections/dialed-connections.ts';
import { forwardRequest } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import { maxHeaderBytes, mostHeaders } from './headers.ts';
import type { GatewayLimits } from './limits.ts';
import { type RefusalCode, refuse, responseOn } from './refusal.ts';

export interface GatewayDependencies {
  controlKey: string;
  connections: DialedConnections;
  limits: GatewayLimits;
}

export interface Gateway {
  /** Not listening yet. */
  server: Server;
  /** Ends what no longer belongs to the server. */
  endUpgraded(): void;
}

/** Requests at a time. The relay has room for as many. */
const mostExchanges = 64;
/** Most of them idle, kept by the API for its next request. More are closed at once. */
const mostConnections = 256;
const headLimitMs = 10_000;
const lookAtLimitsMs = 2000;
const keepAliveMs = 30_000;

const serverOptions = {
  maxHeaderSize: maxHeaderBytes,
  headersTimeout: headLimitMs,
  connectionsCheckingInterval: lookAtLimitsMs,
  // An upload takes as long as it takes.
  requestTimeout: 0,
  keepAliveTimeout: keepAliveMs,
  keepAlive: true,
  keepAliveInitialDelay: keepAliveMs,
};

export function createGatewayHttp({ controlKey, connections, limits }: GatewayDependencies): Gateway {
  const upgraded = new Set<Duplex>();
  let exchanges = 0;

  const refusalOf = (request: IncomingMessage): RefusalCode | null => {
    const { method = '', url: target = '', headers, rawHeaders } = request;
    const signature = headers[serviceRequestHeader];
    const head = { method, target, nowMs: Date.now() };
    if (typeof signature !== 'string' || !isSignedServiceRequest(controlKey, signature, head)) {
      return 'unsigned';
    }
    if (rawHeaders.length / 2 > mostHeaders) {
      return 'too_many_headers';
    }
    if (!target.startsWith('/') || !hasPlainFraming(request)) {
      return 'bad_request';
    }
    return exchanges >= mostExchanges ? 'busy' : null;
  };

  /** Takes a place until the visitor's side is closed. */
  const admit = (request: IncomingMessage, response: ServerResponse, visitor: EventEmitter): boolean => {
    const refusal = refusalOf(request);
    if (refusal !== null) {
      refuse(response, refusal);
      return false;
    }
    exchanges += 1;
    visitor.once('close', () => {
      exchanges -= 1;
    });
    return true;
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    if (response.socket === null) {
      // Sent ahead of an answer, as the API never does. A response that waits behind another is not told that
      // its connection closes: its place would be lost.
      request.socket.destroy();
    } else if (admit(request, response, response)) {
      void forwardRequest(request, response, { connections, limits, expectsContinue });
    }
  };
  const server = createServer(serverOptions, (request, response) => onRequest(request, response, false));
  server.maxConnections = mostConnections;
  // None is left out without a word: they are counted.
  server.maxHeadersCount = 0;
  server.on('checkContinue', (request, response) => onRequest(request, response, true));
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => upgraded.delete(socket));
    const response = responseOn(request);
    if (response === null) {
      socket.destroy();
    } else if (!isWebSocket(request) || head.length > 0) {
      const refusal = refusalOf(request);
      refuse(response, refusal === 'unsigned' ? refusal : 'upgrade_not_supported');
    } else if (admit(request, response, socket)) {
      void forwardUpgrade(request, response, { connections, limits });
    }
  });
  return {
    server,
    endUpgraded() {
      for (const socket of upgraded) {
        socket.destroy();
      }
    },
  };
}

/** A coding beside `chunked` would be taken off on the way, and the body then be said to be another. */
const hasPlainFraming = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] === undefined || headers['transfer-encoding'].toLowerCase() === 'chunked';

const isWebSocket = ({ method, headers }: IncomingMessage) =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['transfer-encoding'] === undefined &&
  (headers['content-length'] ?? '0') === '0';
