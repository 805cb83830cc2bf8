/** A preview of a hostile service, as it is opened by somebody: at its own host name, through the API. */
import { request } from 'node:http';
import { untilFound } from '../support/eventually.ts';
import type { Got } from '../support/request-at-host.ts';
import type { Arena } from './arena.ts';
import type { Target } from './attempts/attempt.ts';
import { deployEach } from './attempts/previews.ts';
import type { Kit } from './inside/kit.ts';
import type { HostileSession } from './session.ts';

const startLimitMs = 120_000;
const answerLimitMs = 60_000;

export interface SentToService {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export class HostileService {
  readonly previewId: string;
  /** At which Ada has it open. */
  readonly host: string;
  private readonly arena: Arena;

  private constructor(arena: Arena, ids: { previewId: string; host: string }) {
    this.arena = arena;
    this.previewId = ids.previewId;
    this.host = ids.host;
  }

  /** Deploys the service from the session, opens it and waits until it answers. */
  static async start(arena: Arena, session: HostileSession, service: string): Promise<HostileService> {
    const [previewId = ''] = await session.run(deployEach, { argument: [{ service }] });
    const address = await arena.ada.leadsTo(`${arena.ada.workspace}/previews/${previewId}/open`);
    if (address === null) {
      throw new Error(`the preview of ${service} cannot be opened: ${previewId}`);
    }
    const started = new HostileService(arena, { previewId, host: new URL(address).host });
    const look = async () => {
      const { status, body } = await started.send('/');
      return status === 200 && body === 'honest' ? true : null;
    };
    await untilFound(`the service ${service}`, look, startLimitMs);
    return started;
  }

  /** A request of a page of it, or of whoever else knows the host name. */
  send(path: string, { method = 'GET', headers = {}, body }: SentToService = {}): Promise<Got> {
    return new Promise((resolve, reject) => {
      const options = { method, path, agent: false, timeout: answerLimitMs };
      const sent = request(
        this.arena.platform.url,
        { ...options, headers: { ...headers, host: this.host } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({
              status: answer.statusCode,
              headers: answer.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      sent.on('timeout', () => sent.destroy(new Error(`no answer of the service to ${method} ${path}`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Has the service answer a request so; returns what whoever asked it is sent. */
  answers(answer: {
    status: number;
    headers: Record<string, string | string[]>;
    text: string;
  }): Promise<Got> {
    return this.send('/answer', { method: 'POST', body: JSON.stringify(answer) });
  }

  /** Every request that the service was sent: method, path and headers. */
  async heard(): Promise<string> {
    return (await this.send('/heard')).body;
  }

  /** Has the service run a program in its sandbox. */
  async run<Value>(
    program: (kit: Kit, target: Target, argument: never) => Value,
    { target = {}, argument }: { target?: unknown; argument?: unknown } = {},
  ): Promise<Awaited<Value>> {
    const order = JSON.stringify({ source: `(${program})`, target, argument });
    const { body } = await this.send('/run', { method: 'POST', body: order });
    return JSON.parse(body);
  }

  /** Takes what it sends for a while, as somebody with a page of it open; how many bytes came. */
  read(path: string, forMs: number): Promise<number> {
    return new Promise((resolve) => {
      let bytes = 0;
      const sent = request(
        this.arena.platform.url,
        { path, agent: false, headers: { host: this.host } },
        (answer) => {
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          answer.on('error', () => undefined);
        },
      );
      sent.on('error', () => undefined);
      sent.end();
      setTimeout(() => {
        sent.destroy();
        resolve(bytes);
      }, forMs);
    });
  }

  async end(): Promise<void> {
    const { ada } = this.arena;
    await ada.ok('DELETE', `${ada.workspace}/previews/${this.previewId}`);
  }
}
