/**
 * The demo's remote server with its authorization server, as the program that `npm start` runs, and a
 * person's browser at its page.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilFound } from './eventually.ts';
import { chooseTestPort } from './free-port.ts';

export const demoRemoteProgram = 'deploy/demo-remote/server.mjs';

export interface DemoRemoteServer {
  /** Of its MCP endpoint. */
  url: string;
  issuer: string;
  directory: string;
  /** `kill -9`, and another start on the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startDemoRemote(): Promise<DemoRemoteServer> {
  const directory = mkdtempSync(join(tmpdir(), 'demo-remote-'));
  const issuer = `http://127.0.0.1:${await chooseTestPort()}`;
  const url = `http://127.0.0.1:${await chooseTestPort()}/mcp`;
  const start = () => startProgram({ ISSUER: issuer, SERVER_URL: url, DATA_DIR: directory });
  let child = await start();
  return {
    url,
    issuer,
    directory,
    async restart() {
      await kill(child);
      child = await start();
    },
    async close() {
      await kill(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startProgram(env: { ISSUER: string; SERVER_URL: string; DATA_DIR: string }) {
  const child = spawn(process.execPath, [demoRemoteProgram], { env, stdio: 'ignore' });
  await untilFound('the demo’s remote server', async () => {
    const answers = await Promise.all(
      [`${env.ISSUER}/jwks`, env.SERVER_URL].map((url) => fetch(url).catch(() => null)),
    );
    return answers.includes(null) ? null : true;
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

export interface Visit {
  /** The page that asks for the decision. */
  page: string;
  /** Presses a button of it. Returns the query that comes back to the client. */
  decide(decision: 'allow' | 'deny', person?: string): Promise<string>;
}

/**
 * Follows an authorization request to the page that it leads to; throws with what was
 * answered when it leads to none.
 */
export async function visitConsent(authorizationUrl: string): Promise<Visit> {
  const cookies = new Map<string, string>();
  const send = async (url: string, body?: URLSearchParams) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { location: answer.headers.get('location'), text: await answer.text() };
  };
  const { origin } = new URL(authorizationUrl);
  const first = await send(authorizationUrl);
  if (first.location === null || new URL(first.location, origin).origin !== origin) {
    throw new Error(first.location ?? first.text);
  }
  const consent = new URL(first.location, origin).href;
  const { text: page } = await send(consent);
  return {
    page,
    async decide(decision, person) {
      const form = new URLSearchParams({ decision, ...(person === undefined ? {} : { person }) });
      let at = (await send(consent, form)).location;
      while (at !== null && new URL(at, origin).origin === origin) {
        at = (await send(new URL(at, origin).href)).location;
      }
      if (at === null) {
        throw new Error('the decision leads nowhere');
      }
      return new URL(at).search.slice(1);
    },
  };
}
