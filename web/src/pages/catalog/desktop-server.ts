/** A server as a desktop client has it: a command with arguments and variables, or a URL. */
import { isPlainRecord } from './desktop-configuration.ts';
import { type ImportCandidate, secretArguments, secretInUrl } from './import-candidate.ts';
import { importedHeader, keptHeader, templateOf } from './imported-headers.ts';
import { choiceKey, guessedKind, type KindChoices, type PlannedVariable } from './planned-variable.ts';

const understood = new Set(['command', 'args', 'env', 'url', 'headers', 'type', 'transport', 'description']);

export function desktopCandidate(key: string, given: unknown, choices: KindChoices): ImportCandidate {
  const server = isPlainRecord(given) ? given : {};
  const problems = isPlainRecord(given) ? [] : ['it must be an object with a command or a url'];
  const notes = Object.keys(server)
    .filter((field) => !understood.has(field))
    .map((field) => `"${field}" is not supported here and is ignored`);
  const variables = variablesOf(key, server['env'], choices, problems);
  const shape = shapeOf(server, problems);
  if (shape.type === 'remote') {
    addHeaders({ key, shape, variables, notes, problems }, server['headers'], choices);
  } else if (server['headers'] !== undefined) {
    notes.push('"headers" are for a server with a url, and are ignored');
  }
  return { label: null, shape, variables, notes, problems };
}

type RemoteShape = Extract<ImportCandidate['shape'], { type: 'remote' }>;

function addHeaders(
  candidate: Pick<ImportCandidate, 'variables' | 'notes' | 'problems'> & { key: string; shape: RemoteShape },
  given: unknown,
  choices: KindChoices,
): void {
  const { key, shape, variables, problems } = candidate;
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
    shape.headers = headers;
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

function shapeOf(server: Record<string, unknown>, problems: string[]): ImportCandidate['shape'] {
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
    problems.push(...secretInUrl(url));
    return { type: 'remote', url };
  }
  if (problems.length === 0) {
    problems.push('it needs a command or a url');
  }
  return { type: 'command', command: '', args: [] };
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
    const kind = choices[choiceKey(key, name)] ?? guessedKind(name, plain);
    return {
      name,
      kind,
      storedDefault: kind === 'value' && plain !== '' ? plain : null,
      isRequired: kind === 'secret',
    };
  });
}
