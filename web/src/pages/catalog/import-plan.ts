/**
 * A desktop client's configuration (`mcpServers`) as entries of the catalog. Values that look secret become fields that a
 * secret fills in; the values themselves go nowhere. Whatever cannot be imported is named.
 */
import { type Availability, unavailableEntry } from '../../../../contract/available-runs.ts';
import { mcpServerInput } from '../../../../contract/catalog.ts';
import { fieldProblemsOf } from '../../../../contract/errors.ts';
import type { Manifest, McpServerInput } from '../../api/types.ts';
import { nameLooksSecret, valueLooksSecret } from '../../text/secret-looks.ts';
import { isPlainRecord, serversIn } from './desktop-configuration.ts';

export interface PlannedVariable {
  name: string;
  kind: 'secret' | 'value';
  /** What the manifest will hold as the default; null for secrets and empty values. */
  storedDefault: string | null;
}

export interface PlannedServer {
  /** Its key in the configuration. */
  key: string;
  input: McpServerInput;
  variables: PlannedVariable[];
  /** What is imported differently from the text, or left out. */
  notes: string[];
  /** What prevents its registration. */
  problems: string[];
}

export interface ImportPlan {
  servers: PlannedServer[];
  /** Why there are none. */
  problem: string | null;
}

/** Choices of the person over what was guessed, by `server key / variable`. */
export type KindChoices = Readonly<Record<string, 'secret' | 'value'>>;
export const choiceKey = (serverKey: string, variable: string) => `${serverKey} / ${variable}`;

export interface ImportOptions {
  /** Names that the catalog has already. */
  taken?: readonly string[];
  kinds?: KindChoices;
  /** Servers, by key, that are registered without a network. */
  withoutNetwork?: ReadonlySet<string>;
  /** What this installation can run, where it is known. */
  here?: Availability | undefined;
}

export function planImport(text: string, options: ImportOptions = {}): ImportPlan {
  const { taken, kinds = {}, withoutNetwork, here } = options;
  const found = serversIn(text);
  if ('problem' in found) {
    return { servers: [], problem: found.problem };
  }
  const names = new Set(taken);
  const servers = Object.entries(found.servers).map(([key, given]) => {
    const planned = planServer(key, given, kinds);
    if (withoutNetwork?.has(key)) {
      planned.input.network = 'none';
    }
    const { name, shape, network = 'internet', egress_allow = [] } = planned.input;
    const unavailable = here === undefined ? null : unavailableEntry({ shape, network, egress_allow }, here);
    if (unavailable !== null) {
      planned.problems.push(`it cannot run here: ${unavailable}`);
    }
    if (names.has(name)) {
      planned.problems.push(`the catalog already has "${name}"; rename it in the text, or remove the other`);
    }
    names.add(name);
    return planned;
  });
  return { servers, problem: servers.length === 0 ? 'No servers found.' : null };
}

const understood = new Set(['command', 'args', 'env', 'url', 'type', 'transport', 'description']);

function planServer(key: string, given: unknown, choices: KindChoices): PlannedServer {
  const name = entryNameOf(key);
  const server = isPlainRecord(given) ? given : {};
  const notes = name === key ? [] : [`it will be named "${name}"`];
  const problems = isPlainRecord(given) ? [] : ['it must be an object with a command or a url'];
  for (const field of Object.keys(server).filter((field) => !understood.has(field))) {
    notes.push(`"${field}" is not supported here and is ignored`);
  }
  const variables = variablesOf(key, server['env'], choices, problems);
  const shape = shapeOf(server, problems);
  const input: McpServerInput = {
    name,
    shape,
    ...(variables.length === 0 ? {} : { manifest: manifestOf(variables) }),
  };
  const parsed = mcpServerInput.safeParse(input);
  if (!parsed.success && problems.length === 0) {
    problems.push(...fieldProblemsOf(parsed.error).map(({ path, message }) => `${path} ${message}`));
  }
  return { key, input, variables, notes, problems };
}

function shapeOf(server: Record<string, unknown>, problems: string[]): McpServerInput['shape'] {
  const { command, args = [], url } = server;
  if (typeof command === 'string' && command !== '') {
    const texts = Array.isArray(args) ? args.filter((argument) => typeof argument === 'string') : [];
    if (!Array.isArray(args) || texts.length !== args.length) {
      problems.push('args must be a list of strings');
    }
    problems.push(...secretArguments(texts));
    return { type: 'command', command, args: texts };
  }
  if (typeof url === 'string') {
    if (/[?&][^=]*=/.test(url) || valueLooksSecret(url)) {
      problems.push('its url may contain a secret, which would be stored as plain text: remove that part');
    }
    return { type: 'remote', url };
  }
  if (problems.length === 0) {
    problems.push('it needs a command or a url');
  }
  return { type: 'command', command: '', args: [] };
}

/** Arguments are shown to every member, so none that looks like a credential is imported. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, at) => {
    const [option = '', value] = argument.split(/=(.*)/s);
    const named = argument.startsWith('-') && nameLooksSecret(option);
    const afterName = (args[at - 1] ?? '').startsWith('-') && nameLooksSecret(args[at - 1] ?? '');
    const suspect =
      (named && value !== undefined && value !== '') ||
      (afterName && !argument.startsWith('-')) ||
      valueLooksSecret(value ?? argument);
    return suspect
      ? [
          `argument ${at + 1} looks like a secret, which would be stored as plain text: use a variable in env instead`,
        ]
      : [];
  });
}

function variablesOf(key: string, env: unknown, choices: KindChoices, problems: string[]): PlannedVariable[] {
  if (env === undefined) {
    return [];
  }
  if (!isPlainRecord(env)) {
    problems.push('env must be an object of strings');
    return [];
  }
  return Object.entries(env).map(([name, value]) => {
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string') {
      problems.push(`env.${name} must be a string`);
    }
    const plain = typeof text === 'string' ? text : '';
    const guess = nameLooksSecret(name) || valueLooksSecret(plain) ? 'secret' : 'value';
    const kind = choices[choiceKey(key, name)] ?? guess;
    return { name, kind, storedDefault: kind === 'value' && plain !== '' ? plain : null };
  });
}

function manifestOf(variables: readonly PlannedVariable[]): Manifest {
  const env: Manifest['env'] = {};
  for (const { name, kind, storedDefault } of variables) {
    env[name] = {
      kind,
      label: labelOf(name),
      ...(kind === 'secret' ? { required: true } : {}),
      ...(storedDefault === null ? {} : { default: storedDefault }),
    };
  }
  return { env, tool_scopes: {} };
}

/** `API_TOKEN` reads "Api token". */
function labelOf(variable: string): string {
  const words = variable.toLowerCase().replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The nearest name that an entry may have; the rule for names rejects the rest. */
export function entryNameOf(key: string): string {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 32)
    .replaceAll(/^-+|-+$/g, '');
}
