/** A server as a desktop client has it: a command with arguments and variables, or a URL. */
import { isPlainRecord } from './desktop-configuration.ts';
import { type ImportCandidate, secretArguments, secretInUrl } from './import-candidate.ts';
import { choiceKey, guessedKind, type KindChoices, type PlannedVariable } from './planned-variable.ts';

const understood = new Set(['command', 'args', 'env', 'url', 'type', 'transport', 'description']);

export function desktopCandidate(key: string, given: unknown, choices: KindChoices): ImportCandidate {
  const server = isPlainRecord(given) ? given : {};
  const problems = isPlainRecord(given) ? [] : ['it must be an object with a command or a url'];
  const notes = Object.keys(server)
    .filter((field) => !understood.has(field))
    .map((field) => `"${field}" is not supported here and is ignored`);
  const variables = variablesOf(key, server['env'], choices, problems);
  return { label: null, shape: shapeOf(server, problems), variables, notes, problems };
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
