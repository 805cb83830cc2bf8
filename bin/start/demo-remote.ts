/**
 * The demo's remote MCP server with its authorization server (deploy/demo-remote): where they listen,
 * and how they are started.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { chooseFreePort, isPortFree } from './free-port.ts';
import type { SupervisedProgram } from './supervised-process.ts';

export interface DemoRemote {
  /** Of its MCP endpoint. */
  url: string;
  issuer: string;
  directory: string;
  /** Of its endpoint that pushes: where it is, and what the platform alone has for it. */
  push: { url: string; token: string };
}

export const demoRemoteName = 'demo-remote';

const portsShape = z.strictObject({ server: z.int(), issuer: z.int() });

/**
 * Its addresses are the same at every start, since the catalog and registered clients have them: the ports
 * are chosen at the first one, and kept in the data directory. Null, with a line of `progress`, when one of
 * them is taken: another program there must not be trusted as the demo's.
 */
export async function placeDemoRemote(
  data: string,
  progress: (line: string) => void,
): Promise<DemoRemote | null> {
  const directory = join(data, demoRemoteName);
  const file = join(directory, 'ports.json');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const kept = readPorts(file);
  const ports = kept ?? (await choosePorts());
  if (kept === null) {
    writeFileSync(file, JSON.stringify(ports), { mode: 0o600 });
  }
  for (const port of [ports.server, ports.issuer]) {
    if (!(await isPortFree(port))) {
      progress(`The demo's remote server does not run: its port ${port} is taken. Free it and start again`);
      return null;
    }
  }
  return {
    url: `http://127.0.0.1:${ports.server}/mcp`,
    issuer: `http://127.0.0.1:${ports.issuer}`,
    directory,
    push: { url: `http://127.0.0.1:${ports.server}/push/mcp`, token: pushToken(directory) },
  };
}

/**
 * Made at the first start: the secret of the workspace that has it stays as it is. Written whole or not at
 * all; an empty one is none.
 */
function pushToken(directory: string): string {
  const file = join(directory, 'push-token');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '') {
    return kept;
  }
  const token = randomBytes(32).toString('base64url');
  writeFileSync(`${file}.new`, token, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return token;
}

/** Below the ports of outgoing connections, one of which could have taken it at a later start. */
const choosePort = () => chooseFreePort(randomInt(10_000, 20_000));

async function choosePorts(): Promise<z.infer<typeof portsShape>> {
  const [server, issuer] = [await choosePort(), await choosePort()];
  return server === issuer ? choosePorts() : { server, issuer };
}

function readPorts(file: string): z.infer<typeof portsShape> | null {
  try {
    return portsShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** What `PRIVATE_MCP_HOSTS` has to list for it. */
export const privateHostsOf = ({ url, issuer }: DemoRemote): string[] => [new URL(url).origin, issuer];

/** It gets nothing of the platform's: no keys, no addresses. */
export const demoRemoteProgram = (
  root: string,
  { url, issuer, directory }: DemoRemote,
): Pick<SupervisedProgram, 'name' | 'script' | 'environment'> => ({
  name: demoRemoteName,
  script: join(root, 'deploy/demo-remote/server.mjs'),
  environment: { ISSUER: issuer, SERVER_URL: url, DATA_DIR: directory },
});
