/**
 * Real MCP servers to put behind a gate: both lines of the TypeScript SDK in this process, the
 * Python and the Go SDK in processes of their own. They take a call of any tool and report its name,
 * exactly as they understood it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Duplex, duplexPair } from 'node:stream';
import { Server as FirstLineServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport as FirstLineTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { gatedTool, openTool } from './generate-lines.ts';

export interface OracleServer {
  name: string;
  /** A connection of its own to a fresh server. */
  connect(): Promise<Duplex>;
  stop(): Promise<void>;
}

type Report = (server: string, tool: string) => void;

const capabilities = { tools: {} };
const tools = [gatedTool, openTool].map((name) => ({ name, inputSchema: { type: 'object' as const } }));
const result = { content: [{ type: 'text' as const, text: 'done' }] };

/** The SDK's second line, which serves both revisions of the protocol. */
export function typescriptServer(report: Report): OracleServer {
  const name = 'TypeScript SDK v2';
  return inProcess(name, (connection) => {
    const create = () => {
      const server = new Server({ name, version: '1' }, { capabilities });
      server.setRequestHandler('tools/list', () => ({ tools }));
      server.setRequestHandler('tools/call', ({ params }) => {
        report(name, params.name);
        return result;
      });
      return server;
    };
    serveStdio(create, {
      transport: new StdioServerTransport(connection, connection),
      onerror: () => undefined,
    });
  });
}

export function firstTypescriptServer(report: Report): OracleServer {
  const name = 'TypeScript SDK v1';
  return inProcess(name, (connection) => {
    const server = new FirstLineServer({ name, version: '1' }, { capabilities });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      report(name, params.name);
      return result;
    });
    void server.connect(new FirstLineTransport(connection, connection));
  });
}

function inProcess(name: string, serve: (connection: Duplex) => void): OracleServer {
  return {
    name,
    connect() {
      const [near, far] = duplexPair();
      far.on('error', () => undefined);
      serve(far);
      return Promise.resolve(near);
    },
    stop: () => Promise.resolve(),
  };
}

/** The programs that the set-up of the tests installed, by language; null where there is none. */
export function installedPrograms(): { python: string[] | null; go: string[] | null } {
  const list = '.cache/oracle-servers.json';
  const { python = null, go = null }: Record<string, string | null> = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : {};
  return {
    python: python === null ? null : [python, 'test/fuzz/servers/python-server.py'],
    go: go === null ? null : [go],
  };
}

/** It exits when its standard input closes, so also when this process is killed. */
export async function programServer(name: string, command: string[], report: Report): Promise<OracleServer> {
  const directory = mkdtempSync(join(tmpdir(), 'oracle-'));
  const path = join(directory, 's');
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, path], { stdio: ['pipe', 'pipe', 'ignore'] });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${name} ended`)));
    createInterface(child.stdout).on('line', (line) => {
      const { ready, executed } = JSON.parse(line) as { ready?: true; executed?: string };
      if (ready) {
        resolve();
      }
      if (executed !== undefined) {
        report(name, executed);
      }
    });
  });
  return {
    name,
    connect: () =>
      new Promise((resolve, reject) => {
        const socket = connect(path, () => resolve(socket));
        socket.once('error', reject);
      }),
    async stop() {
      await ended(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** It counts as ended only after its last reports are read. */
function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    child.kill('SIGTERM');
  });
}
