/** What the gateway does not wait for, with shorter limits than it has. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { signServiceRequest } from '../../../contract/service-signature.ts';
import {
  type DialedConnections,
  openDialedConnections,
} from '../../../sidecar/dialed-connections/dialed-connections.ts';
import { closeHttp, listenOnPort } from '../../../sidecar/http/listen-http.ts';
import { createGatewayHttp, type Gateway } from '../../../sidecar/service-gateway/gateway-http.ts';
import type { GatewayLimits } from '../../../sidecar/service-gateway/limits.ts';
import { eventually } from '../../support/eventually.ts';
import { answerOf, toldBy } from './service-workload.ts';

const controlKey = 'a2V5';
// Several times what a busy machine delays a timer or a connection by.
const limits: GatewayLimits = { connectMs: 1000, answerMs: 1200, stalledMs: 1200 };
let directory = '';
let connections: DialedConnections;
let gateway: Gateway;
let url = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'g-'));
  connections = await openDialedConnections(join(directory, 's.sock'));
  gateway = createGatewayHttp({ controlKey, connections, limits });
  url = await listenOnPort(gateway.server, '127.0.0.1', 0);
});
afterEach(async () => {
  gateway.endUpgraded();
  await Promise.all([closeHttp(gateway.server), connections.close()]);
  await rm(directory, { recursive: true, force: true });
});

/** A connection as the relay has it. */
const relayed = (): Socket => connect({ path: join(directory, 's.sock'), allowHalfOpen: true });

function open(method: string, headers: Record<string, string> = {}) {
  const target = `/${randomUUID()}`;
  const signature = signServiceRequest(controlKey, { method, target, atMs: Date.now() });
  const asked = { method, agent: false, headers: { ...headers, 'x-service-request': signature } };
  return request(new URL(target, url), asked);
}

async function refusalOf(sent: ReturnType<typeof open>) {
  const { status, headers } = await toldBy(await answerOf(sent));
  return { status, failure: headers['x-service-failure'] };
}
const timeout = { status: 504, failure: 'service_timeout' };
const unreachable = { status: 503, failure: 'service_unreachable' };

it('waits for a connection of the relay, and not for ever', async () => {
  const sent = open('GET');
  sent.end();
  expect(await refusalOf(sent)).toEqual(unreachable);
  const other = open('GET');
  other.end();
  const service = relayed();
  await once(service, 'data');
  service.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
  expect(await toldBy(await answerOf(other))).toMatchObject({ status: 200, body: 'hi' });
});

it('waits for the head of an answer, and not for ever, and closes the service’s connection', async () => {
  const service = relayed();
  const sent = open('GET');
  sent.end();
  await once(service, 'data');
  const ended = once(service, 'end');
  service.write('HTTP/1.1 200 OK\r\nContent-Le');
  expect(await refusalOf(sent)).toEqual(timeout);
  await ended;
});

it('gives a service its time again with each part of a request', async () => {
  const service = relayed();
  const sent = open('POST');
  service.resume();
  for (let part = 0; part < 8; part += 1) {
    sent.write('part');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  sent.end();
  service.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
  expect(await toldBy(await answerOf(sent))).toMatchObject({ status: 200, body: 'hi' });
});

it('gives up a service that does not read what it is sent, also after it has answered', async () => {
  const first = relayed();
  first.pause();
  const sent = open('POST');
  sent.on('error', () => undefined).write(Buffer.alloc(8 * 1024 * 1024));
  expect(await refusalOf(sent)).toEqual(timeout);
  first.destroy();

  const second = relayed();
  const other = open('POST');
  other.on('error', () => undefined);
  other.write('begin');
  await once(second, 'data');
  second.pause().write('HTTP/1.1 200 OK\r\n\r\nand ');
  const answer = await answerOf(other);
  other.write(Buffer.alloc(8 * 1024 * 1024));
  await expect(toldBy(answer)).rejects.toThrow('aborted');
});

it('streams without a limit once there is an answer', async () => {
  const service = relayed();
  const sent = open('GET');
  sent.end();
  await once(service, 'data');
  service.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
  const answer = await answerOf(sent);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  service.end('late');
  expect((await toldBy(answer)).body).toBe('late');
});

it('keeps a few idle connections, and none that says something before it is asked', async () => {
  const talkative = relayed();
  talkative.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong');
  await once(talkative.resume(), 'end');
  const many = Array.from({ length: 10 }, relayed);
  const ended = new Set<Socket>();
  for (const each of many) {
    each
      .on('error', () => undefined)
      .resume()
      .once('end', () => ended.add(each));
  }
  await eventually(() => expect(ended.size).toBe(6));
});

it('gives no connection of the relay to a visitor who has left', async () => {
  const gone = open('GET');
  gone.on('error', () => undefined).end();
  await new Promise((resolve) => setTimeout(resolve, 50));
  gone.destroy();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const service = relayed();
  const sent = open('GET');
  sent.end();
  expect(String((await once(service, 'data'))[0])).toContain(sent.path);
  service.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
  expect(await toldBy(await answerOf(sent))).toMatchObject({ status: 200 });
});
