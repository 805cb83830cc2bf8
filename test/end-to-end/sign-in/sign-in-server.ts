/** What a test needs of an authorization server of others, and of the MCP server that takes its tokens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { untilFound } from '../../support/eventually.ts';

export interface SignInServer {
  /** Of its MCP endpoint. */
  url: string;
  issuer: string;
  /** Whether whoever registered can ask for the client and delete it (RFC 7592). */
  managesClients: boolean;
  calls(): Promise<Call[]>;
  /** The ids of those that were registered. */
  clients(): Promise<string[]>;
  /** The names of those who are signed in, each once and in order. */
  signedIn(): Promise<string[]>;
  /** As its operator does who knows nothing of the platform. */
  deleteClients(): Promise<void>;
  stop(): Promise<void>;
}

const call = z.object({
  tool: z.string(),
  person: z.string(),
  /** Tells tokens apart. */
  token: z.string(),
  client: z.string(),
  has_ended: z.boolean(),
});
/** A tool call that the MCP server let through. */
export type Call = z.infer<typeof call>;

const seen = z.object({ calls: z.array(call), clients: z.array(z.string()), signed_in: z.array(z.string()) });
const programs = z.object({ keycloak: z.string(), python: z.string() }).nullable();

/** Null where the set-up could provide none. */
export const signInPrograms = existsSync('.cache/sign-in-servers.json')
  ? programs.parse(JSON.parse(readFileSync('.cache/sign-in-servers.json', 'utf8')))
  : null;

/** Starts `server.py`. That of `keycloak` takes the tokens of the realm that has the issuer `realm`. */
export async function startPythonServer(
  kind: 'fastmcp' | 'sdk' | 'keycloak',
  port: number,
  realm = '',
): Promise<SignInServer> {
  const origin = `http://127.0.0.1:${port}`;
  const program = fileURLToPath(new URL('server.py', import.meta.url));
  const child = spawn(signInPrograms?.python ?? '', [program, kind, String(port), realm], {
    stdio: 'ignore',
  });
  const look = async () => seen.parse(await (await fetch(`${origin}/test/state`)).json());
  await untilFound(`the server of ${kind}`, () => look().catch(() => null));
  return {
    url: `${origin}/mcp`,
    issuer: origin,
    managesClients: false,
    calls: async () => (await look()).calls,
    clients: async () => (await look()).clients,
    signedIn: async () => [...new Set((await look()).signed_in)].toSorted(),
    deleteClients: async () => {
      await fetch(`${origin}/test/clients`, { method: 'DELETE' });
    },
    stop: () => endProcess(child),
  };
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
