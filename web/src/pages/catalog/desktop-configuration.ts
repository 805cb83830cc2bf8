/**
 * Finds the servers in what people copy: a client's whole configuration, its
 * `mcpServers`, or one server of it.
 */
import * as z from 'zod';
import type { Problem } from './pasted/json.ts';

export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an editor asks for when it starts a server, which texts refer to as `${input:id}`. */
const pastedInput = z.object({
  id: z.string(),
  description: z.string().optional(),
  password: z.boolean().default(false),
  default: z.string().optional(),
  options: z.array(z.string()).min(1).optional(),
});
export type PastedInputs = ReadonlyMap<string, z.infer<typeof pastedInput>>;

export interface PastedServers {
  servers: [key: string, given: unknown][];
  inputs: PastedInputs;
}

/** The servers by their keys, from wherever clients have them; or else the value itself is the map. */
export function serversIn(value: unknown): PastedServers | Problem {
  const list = namedServers(value);
  if (list !== null) {
    return { servers: list, inputs: new Map() };
  }
  if (!isPlainRecord(value)) {
    return { problem: 'Expected an object with "mcpServers".' };
  }
  const holders = holdersIn(value);
  if (holders.length > 0) {
    return { servers: holders.flatMap(({ servers }) => servers), inputs: inputsOf(holders) };
  }
  if (isServer(value)) {
    const { name, ...server } = value;
    return typeof name === 'string' && name !== ''
      ? { servers: [[name, server]], inputs: new Map() }
      : { problem: 'The server has no name. Wrap it as { "mcpServers": { "name": { … } } }.' };
  }
  return Object.values(value).some(isServer)
    ? { servers: Object.entries(value), inputs: new Map() }
    : { problem: 'No "mcpServers" found.' };
}

interface Holder {
  servers: [key: string, given: unknown][];
  inputs: unknown;
}

/**
 * `mcpServers` of most clients, `servers` and `inputs` of VS Code, `context_servers` of Zed, `mcp` of
 * OpenCode, and those within settings.
 */
const holderKey = /^([a-z]+\.)*(mcp[_-]?servers|servers|context_servers)$/i;
const settingsKey = /^(mcp|augment\.advanced)$/;

function holdersIn(value: Record<string, unknown>, depth = 0): Holder[] {
  return Object.entries(value).flatMap(([key, held]) => {
    const servers = isPlainRecord(held) ? Object.entries(held) : namedServers(held);
    if (holderKey.test(key) && servers !== null) {
      return [{ servers, inputs: value['inputs'] }];
    }
    if (!settingsKey.test(key) || !isPlainRecord(held) || depth > 1) {
      return [];
    }
    const inner = holdersIn(held, depth + 1);
    return inner.length === 0 && Object.values(held).some(isServer)
      ? [{ servers: Object.entries(held), inputs: undefined }]
      : inner;
  });
}

/** A list whose servers have their names in them; null for anything else. */
function namedServers(value: unknown): Holder['servers'] | null {
  if (!Array.isArray(value) || value.length === 0) {
    return null;
  }
  const named = value.flatMap((each: unknown): Holder['servers'] => {
    const { name, ...server } = isPlainRecord(each) ? each : {};
    return typeof name === 'string' && isServer(server) ? [[name, server]] : [];
  });
  return named.length === value.length ? named : null;
}

function inputsOf(holders: readonly Holder[]): PastedInputs {
  const given = holders.flatMap(({ inputs }) => (Array.isArray(inputs) ? (inputs as unknown[]) : []));
  const read = given.map((each) => pastedInput.safeParse(each)).flatMap(({ data }) => (data ? [data] : []));
  return new Map(read.map((input) => [input.id, input]));
}

/** The names that clients have for the address of a remote server. */
export const urlKeys = [
  'url',
  'serverUrl',
  'serverURL',
  'server_url',
  'httpUrl',
  'http_url',
  'uri',
  'endpoint',
  'baseUrl',
  'base_url',
] as const;

const isServer = (value: unknown): boolean =>
  isPlainRecord(value) && ['command', ...urlKeys].some((key) => key in value);
