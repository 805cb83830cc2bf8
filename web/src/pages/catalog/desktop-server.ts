/** A server as a desktop client has it: a command with arguments and variables, or a URL. */
import { isPlainRecord, type PastedInputs, urlKeys } from './desktop-configuration.ts';
import { argumentNotes, argumentProblems, type ImportCandidate, urlProblems } from './import-candidate.ts';
import { importedHeader, keptHeader, templateOf } from './imported-headers.ts';
import { type PastedCommand, readCommand, sseProblem } from './pasted/command-line.ts';
import {
  isAddressOfMachine,
  isOfWindows,
  isPlaceholder,
  someReference,
  withFallbacks,
} from './pasted/texts.ts';
import { choiceKey, type KindChoices, type PlannedVariable, pastedVariable } from './planned-variable.ts';

const understood = new Set([
  'command',
  'args',
  'type',
  'transport',
  'transportType',
  'description',
  ...urlKeys,
]);
const variablesKeys = ['env', 'environment'];
/** `requestInit` holds what the SDKs of clients take, and its own `headers`. */
const headersKeys = ['headers', 'http_headers', 'requestInit'];
/** Files with variables, which no session has. */
const fileKeys = ['envFile', 'env_file', 'envfile'];

/** What of the text is not the server's own. */
export interface DesktopContext {
  choices: KindChoices;
  inputs: PastedInputs;
}

interface Draft extends DesktopContext {
  key: string;
  variables: PlannedVariable[];
  notes: string[];
  problems: string[];
}

/**
 * The server as an entry that runs it, with what is different from the text and what
 * prevents its registration.
 */
export function desktopCandidate(key: string, given: unknown, context: DesktopContext): ImportCandidate {
  const server = isPlainRecord(given) ? given : {};
  const problems = isPlainRecord(given) ? [] : ['it must be an object with a command or a url'];
  const notes = Object.keys(server)
    .filter((field) => ![...understood, ...variablesKeys, ...headersKeys, ...fileKeys].includes(field))
    .map((field) => `"${field}" is not supported here and is ignored`);
  const draft: Draft = { ...context, key, variables: [], notes, problems };
  problems.push(
    ...fileKeys
      .filter((field) => server[field] !== undefined)
      .map(
        (field) =>
          `"${field}" is a file of the machine that the text was written for: write its variables into "env"`,
      ),
  );
  const env = envOf(server, draft);
  const program = programOf(server, draft);
  draft.variables.push(...givenTo(program, env, notes).map((each) => pastedVariable(key, each, draft)));
  const shape = shapeOf(program, transportOf(server), draft);
  if (program?.type === 'remote' && shape.type === 'remote') {
    addHeaders({ ...draft, shape }, program.headers);
  }
  if (shape.type === 'remote') {
    for (const field of headersKeys) {
      addHeaders({ ...draft, shape }, headersIn(field, server[field], notes));
    }
  } else {
    notes.push(
      ...headersKeys
        .filter((field) => server[field] !== undefined)
        .map((field) => `"${field}" is only for a server with a url, and is ignored`),
    );
  }
  return { label: null, shape, variables: draft.variables, notes, problems };
}

type Shape = ImportCandidate['shape'];
type RemoteShape = Extract<Shape, { type: 'remote' }>;
const nothing: Shape = { type: 'command', command: '', args: [] };

interface Words {
  command: string;
  args: string[];
}

/** What it runs; null when it has neither a command nor an address, which is a problem. */
function programOf(server: Record<string, unknown>, draft: Draft): PastedCommand | null {
  const { problems, notes } = draft;
  const urls = [
    ...new Set(urlKeys.map((key) => server[key]).filter((url) => typeof url === 'string' && url !== '')),
  ];
  const command = wordsOf(server, problems);
  if (urls.length > 1 || (urls.length > 0 && command !== null)) {
    problems.push(
      urls.length > 1 ? 'it has several urls: keep one' : 'it has a command and a url: keep one of them',
    );
  }
  const [url] = urls;
  if (typeof url === 'string') {
    return { type: 'remote', url: withFallbacks(url, notes), headers: {} };
  }
  if (command === null) {
    problems.push(...(problems.length === 0 ? ['it needs a command or a url'] : []));
    return null;
  }
  const filled = {
    command: withFallbacks(command.command, notes),
    args: command.args.map((argument) => withFallbacks(argument, notes)),
  };
  return readCommand(filled, draft);
}

/** `command` and `args`; the command may be a list with its arguments, or an object with its path. */
function wordsOf({ command, args = [] }: Record<string, unknown>, problems: string[]): Words | null {
  const inner = isPlainRecord(command) ? command : {};
  const list = Array.isArray(command) ? command : [inner['path'] ?? command];
  const more = isPlainRecord(command) ? (inner['args'] ?? args) : args;
  const [first, ...own] = list as unknown[];
  if (typeof first !== 'string' || first === '') {
    return null;
  }
  const all: unknown[] = Array.isArray(more) ? [...own, ...(more as unknown[])] : own;
  const texts = all.filter((argument) => typeof argument === 'string');
  if (!Array.isArray(more) || texts.length !== all.length) {
    problems.push('args must be a list of strings');
  }
  return { command: first, args: texts };
}

interface Given {
  name: string;
  text: string | null;
}

function envOf(server: Record<string, unknown>, { problems, notes }: Draft): Given[] {
  const ofCommand = isPlainRecord(server['command']) ? server['command']['env'] : undefined;
  const given = [...variablesKeys.map((key) => server[key]), ofCommand].filter((env) => env !== undefined);
  if (given.some((env) => !isPlainRecord(env))) {
    problems.push('env must be an object of strings');
  }
  return given.filter(isPlainRecord).flatMap((env) =>
    Object.entries(env).flatMap(([name, value]) => {
      if (isOfWindows(name)) {
        notes.push(`${name} is left out: Windows sets it, and no server runs there`);
        return [];
      }
      const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
      if (typeof text !== 'string') {
        problems.push(`env.${name} must be a string`);
      }
      return [{ name, text: typeof text === 'string' ? text : '' }];
    }),
  );
}

/** The variables that the program gets. A container gets those that `-e` names, and no other. */
function givenTo(program: PastedCommand | null, env: readonly Given[], notes: string[]): Given[] {
  if (program?.type === 'command') {
    return [...env, ...program.variables];
  }
  if (program?.type !== 'image') {
    return [...env];
  }
  const ofEnv = new Map(env.map(({ name, text }) => [name, text]));
  const passed = new Set(program.variables.map(({ name }) => name));
  notes.push(
    ...env
      .filter(({ name }) => !passed.has(name))
      .map(({ name }) => `${name} is left out: no -e gives it to the container`),
  );
  return program.variables.map(({ name, text }) => ({ name, text: text ?? ofEnv.get(name) ?? null }));
}

function shapeOf(program: PastedCommand | null, transport: string | null, draft: Draft): Shape {
  switch (program?.type) {
    case 'image':
      return { type: 'image', image: program.image };
    case 'remote':
      return remoteShape(program.url, transport, draft);
    case 'command':
      draft.problems.push(...argumentProblems(program.args));
      draft.notes.push(...argumentNotes(program.args));
      return { type: 'command', command: program.command, args: program.args };
    default:
      return nothing;
  }
}

/**
 * What the text calls its transport, in small letters without separators; null where it says nothing of one.
 */
function transportOf({ type, transport, transportType }: Record<string, unknown>): string | null {
  const given = [type, isPlainRecord(transport) ? transport['type'] : transport, transportType].find(
    (each) => typeof each === 'string',
  );
  return typeof given === 'string' ? given.toLowerCase() : null;
}

const overHttp = /^(http|https|url|remote|streamable[-_ ]?http|streamable)$/;

function remoteShape(url: string, transport: string | null, { notes, problems }: Draft): RemoteShape {
  const reference = someReference(url);
  if (transport !== null && !overHttp.test(transport)) {
    problems.push(sseProblem(transport));
  } else if (transport === null && /\/sse\/?(?:\?|$)/.test(url)) {
    problems.push(sseProblem('sse, by its url'));
  }
  if (reference !== null) {
    problems.push(
      `its url has the reference ${reference.written}, which no client fills in here: write its value in its place`,
    );
  } else if (isPlaceholder(url) || /\{[\w.-]+\}/.test(url)) {
    problems.push(`its url is a placeholder (${url}): write your own`);
  } else {
    problems.push(...urlProblems(url));
  }
  if (isAddressOfMachine(url)) {
    notes.push(
      'its url is on the machine that uses it: saving refuses it unless an operator listed that host',
    );
  }
  return { type: 'remote', url };
}

/** The headers of a field; of `requestInit` alone its other members are named as left out. */
function headersIn(field: string, given: unknown, notes: string[]): unknown {
  if (field !== 'requestInit' || !isPlainRecord(given)) {
    return given;
  }
  const { headers, ...more } = given;
  notes.push(
    ...Object.keys(more).map((each) => `"requestInit.${each}" is not supported here and is ignored`),
  );
  return headers;
}

function addHeaders(candidate: Draft & { shape: RemoteShape }, given: unknown): void {
  const { key, shape, variables, problems, choices } = candidate;
  const entries = isPlainRecord(given) ? Object.entries(given) : [];
  const headers = entries.flatMap(([name, text]) => {
    if (typeof text !== 'string') {
      problems.push(`headers.${name} must be a string`);
      return [];
    }
    const kept = keptHeader(importedHeader({ name, template: templateOf(text) }), candidate);
    if (kept === null) {
      return [];
    }
    const { header, literal } = kept;
    // A variable that env names, or another header has, is the same one.
    if (literal !== null || !variables.some((variable) => variable.name === header.variable)) {
      variables.push(variableOf(key, header.variable, literal, choices));
    }
    return [header];
  });
  if (given !== undefined && !isPlainRecord(given)) {
    problems.push('headers must be an object of strings');
  }
  if (headers.length > 0) {
    shape.headers = [...(shape.headers ?? []), ...headers];
  }
}

/** Of a header: a literal is its default, anything else a secret. */
function variableOf(
  key: string,
  name: string,
  literal: string | null,
  choices: KindChoices,
): PlannedVariable {
  const kind = choices[choiceKey(key, name)] ?? (literal === null ? 'secret' : 'value');
  return {
    name,
    kind,
    storedDefault: kind === 'value' ? literal : null,
    isRequired: kind === 'secret' || literal === null,
  };
}
