/**
 * A server as the MCP registry describes it (`server.json`, of 2025-09-29 and later): packages and remote
 * addresses, of which an entry runs one. Pure.
 */
import * as z from 'zod';
import { manifest, network } from '../../../../contract/catalog.ts';
import { isPinned, onlyPackage, readPackageRequest } from '../../../../contract/package-request.ts';
import { nameLooksSecret } from '../../text/secret-looks.ts';
import { isPlainRecord } from './desktop-configuration.ts';
import { argumentProblems, type ImportCandidate } from './import-candidate.ts';
import {
  type DockerFlag,
  dockerFlagNote,
  dockerFlagProblem,
  dockerVariable,
  imageArgumentsProblem,
} from './pasted/docker-run.ts';
import { choiceKey, guessedKind, type KindChoices, type PlannedVariable } from './planned-variable.ts';
import { type NamedInput, named, type PlainInput, type Template, template } from './registry-input.ts';
import { registryRemote, remotely } from './registry-remote.ts';

const argument = z.discriminatedUnion('type', [
  template.extend({ type: z.literal('positional'), valueHint: z.string().optional() }),
  template.extend({ type: z.literal('named'), name: z.string() }),
]);
type Argument = z.infer<typeof argument>;
const registryPackage = z.object({
  registryType: z.string(),
  registryBaseUrl: z.string().optional(),
  identifier: z.string().max(512),
  version: z.string().optional(),
  runtimeHint: z.string().optional(),
  transport: z.object({ type: z.string() }).default({ type: 'stdio' }),
  runtimeArguments: z.array(argument).default([]),
  packageArguments: z.array(argument).default([]),
  environmentVariables: z.array(named).default([]),
});
type RegistryPackage = z.infer<typeof registryPackage>;

export interface RegistryServer {
  name: string;
  /** What its author, or the registry, says of it: `active`, `deprecated` or `deleted`. */
  status: unknown;
  provided: Provided;
  packages: unknown[];
  remotes: unknown[];
}

/**
 * What an installation of this platform adds to a document that it gives. Who approves is for
 * the admin who imports it.
 */
const providedMeta = z.object({
  network: network.optional().catch(undefined),
  tool_scopes: manifest.shape.tool_scopes.catch({}),
});
type Provided = z.infer<typeof providedMeta>;

/**
 * The documents in what was pasted: one, one as the registry's API answers, or its list.
 * Null where there is none.
 */
export function registryServersIn(value: unknown): RegistryServer[] | null {
  const list = isPlainRecord(value) && Array.isArray(value['servers']) ? value['servers'] : [value];
  const documents = list.map(documentIn);
  return documents.every((document) => document === null)
    ? null
    : documents.map((document, at) => document ?? { ...unreadable, name: `number ${at + 1} of the list` });
}

const unreadable = { status: null, provided: { tool_scopes: {} }, packages: [], remotes: [] };

function documentIn(value: unknown): RegistryServer | null {
  const document = isPlainRecord(value) && isPlainRecord(value['server']) ? value['server'] : value;
  if (!isPlainRecord(document) || typeof document['name'] !== 'string') {
    return null;
  }
  const { name, packages, remotes } = document;
  const outer = isPlainRecord(value) ? metaOf(value, 'io.modelcontextprotocol.registry/official') : {};
  return Array.isArray(packages) || Array.isArray(remotes)
    ? {
        name,
        status: outer['status'] ?? document['status'],
        provided: providedMeta.parse(metaOf(document, 'io.modelcontextprotocol.registry/publisher-provided')),
        packages: Array.isArray(packages) ? packages : [],
        remotes: Array.isArray(remotes) ? remotes : [],
      }
    : null;
}

function metaOf(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const meta = isPlainRecord(value['_meta']) ? value['_meta'][key] : null;
  return isPlainRecord(meta) ? meta : {};
}

const nothing: ImportCandidate['shape'] = { type: 'command', command: '', args: [] };

/** The ways in which it runs, in its author's order; at least one. */
export function registryCandidates(server: RegistryServer, choices: KindChoices): ImportCandidate[] {
  const candidates = [
    ...server.packages.map((given) =>
      parsed(registryPackage, given, (each) => packaged(server, each, choices)),
    ),
    ...server.remotes.map((given) =>
      parsed(registryRemote, given, (each) => remotely(server.name, each, choices)),
    ),
  ];
  const withdrawn = server.status === 'deleted' ? ['its author deleted it'] : [];
  const deprecated = server.status === 'deprecated' ? ['its author marked it as deprecated'] : [];
  const { provided } = server;
  return (candidates.length === 0 ? [nowhere] : candidates).map((candidate) => ({
    ...candidate,
    toolScopes: provided.tool_scopes,
    hasNoNetwork: provided.network === 'none',
    notes: [...deprecated, ...candidate.notes],
    problems: [...withdrawn, ...candidate.problems],
  }));
}

const nowhere: ImportCandidate = {
  label: null,
  shape: nothing,
  variables: [],
  notes: [],
  problems: ['it names no package and no remote'],
};

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  make: (value: z.output<Schema>) => ImportCandidate,
): ImportCandidate {
  const result = schema.safeParse(given);
  if (result.success) {
    return make(result.data);
  }
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { label: 'a package that cannot be read', shape: nothing, variables: [], notes: [], problems };
}

function packaged(server: RegistryServer, given: RegistryPackage, choices: KindChoices): ImportCandidate {
  const { registryType, identifier, transport } = given;
  const notes: string[] = [];
  const problems =
    transport.type === 'stdio'
      ? []
      : [
          `its package speaks ${transport.type}; packages speak stdio here: use its remote address, if it has one`,
        ];
  const shape = shapeOf(given, notes, problems);
  const ofContainer = registryType === 'oci' ? containerVariables(given, notes, problems) : [];
  const variables = [...given.environmentVariables, ...ofContainer].map((each) =>
    variableOf(server.name, each, choices, notes),
  );
  return { label: `the ${registryType} package ${identifier}`, shape, variables, notes, problems };
}

const runners: Readonly<Record<string, { command: string; always: string[] }>> = {
  npm: { command: 'npx', always: ['-y'] },
  pypi: { command: 'uvx', always: [] },
};

function shapeOf(given: RegistryPackage, notes: string[], problems: string[]): ImportCandidate['shape'] {
  const { registryType, identifier, version, runtimeHint } = given;
  const args = argumentsOf(given.packageArguments, notes, problems);
  if (registryType === 'oci') {
    if (args.length > 0) {
      problems.push(imageArgumentsProblem);
    }
    return { type: 'image', image: imageOf(given) };
  }
  const runner = Object.hasOwn(runners, registryType) ? runners[registryType] : undefined;
  if (runner === undefined) {
    problems.push(
      `packages of the type ${registryType} cannot run here: use its package of npm, pypi or oci, or its remote address, if it has one`,
    );
    return nothing;
  }
  const { command, always } = runner;
  if (runtimeHint !== undefined && runtimeHint !== command) {
    notes.push(`it runs with ${command} in place of ${runtimeHint}`);
  }
  const options = argumentsOf(given.runtimeArguments, notes, problems).filter(
    (each) => !always.includes(each),
  );
  const named = version === undefined ? identifier : `${identifier}@${version}`;
  const all = [...always, ...options, named, ...args];
  problems.push(...argumentProblems(all), ...packageProblems(command, all, given));
  if (version === undefined) {
    notes.push('it names no version: each start may run another one');
  }
  if (given.registryBaseUrl !== undefined) {
    notes.push(
      `it names the registry ${given.registryBaseUrl}; packages come from the one that the operator set`,
    );
  }
  return { type: 'command', command, args: all };
}

/**
 * The variables that `-e` gives the container, among the arguments of the container engine. Any other one
 * that changes the container is refused.
 */
function containerVariables(
  { identifier, runtimeArguments }: RegistryPackage,
  notes: string[],
  problems: string[],
): NamedInput[] {
  return runtimeArguments.flatMap((argument) => {
    const { name, value } = flagOf(argument);
    if (name === '-e' || name === '--env') {
      const { name: variable, text } = dockerVariable(value ?? '');
      const { value: _, default: __, ...rest } = argument;
      return [{ ...rest, name: variable, ...(text === null ? {} : { value: text }) }];
    }
    // As some documents have it: the words `run` and the image among the options.
    const isOwn = name === 'run' || name.split(/[:@]/)[0] === identifier.split(/[:@]/)[0];
    const problem = argument.type === 'positional' && isOwn ? null : dockerFlagProblem({ name, value });
    const note = dockerFlagNote({ name, value });
    problems.push(...(problem === null ? [] : [problem]));
    notes.push(...(note === null ? [] : [note]));
    return [];
  });
}

/** `-e` with its value, also where both are in one text. */
function flagOf(argument: Argument): DockerFlag {
  const value = argument.value ?? argument.default ?? null;
  if (argument.type === 'named') {
    return { name: argument.name, value };
  }
  const [, name, rest] = /^(-e|--env)[= ](.*)$/s.exec(value ?? '') ?? [];
  return name === undefined ? { name: value ?? labelOf(argument), value: null } : { name, value: rest ?? '' };
}

/**
 * What would run must be the package that is named, at its version: an address, a path or an
 * option could name another.
 */
function packageProblems(
  command: string,
  args: readonly string[],
  { identifier, version }: RegistryPackage,
): string[] {
  const request = readPackageRequest(command, args);
  const only = request === null ? null : onlyPackage(request);
  if (request === null || only === null || only.name !== identifier || only.version !== version) {
    return ['its package, version and options do not name one package of a registry'];
  }
  return version === undefined || isPinned(request) ? [] : [`its version ${version} is not an exact one`];
}

/** `docker.io/team/server` and `1.0.2`, or the whole reference as the identifier. */
function imageOf({ identifier, version, registryBaseUrl }: RegistryPackage): string {
  const host =
    registryBaseUrl !== undefined && URL.canParse(registryBaseUrl) ? new URL(registryBaseUrl).host : '';
  const isWhole = host === '' || identifier.startsWith(`${host}/`);
  const hasTag = /[:@][^/]*$/.test(identifier);
  return `${isWhole ? '' : `${host}/`}${identifier}${version === undefined || hasTag ? '' : `:${version}`}`;
}

function argumentsOf(given: readonly Argument[], notes: string[], problems: string[]): string[] {
  const leftOut: string[] = [];
  const texts = given.flatMap((each) => {
    const text = textOf(each);
    if (
      text === 'secret' ||
      each.isSecret ||
      (text !== null && text.text !== '' && nameLooksSecret(labelOf(each)))
    ) {
      problems.push(`its argument ${labelOf(each)} is secret, and arguments are shown to every member`);
      return [];
    }
    if (text === null) {
      if (each.isRequired || each.value !== undefined) {
        const orSwitch = each.type === 'named' ? ', empty for a switch' : '';
        problems.push(
          `its argument ${labelOf(each)} needs a value: add it to the text as "value"${orSwitch}`,
        );
      } else {
        leftOut.push(labelOf(each));
      }
      return [];
    }
    return each.type === 'named' ? [each.name, ...(text.text === '' ? [] : [text.text])] : [text.text];
  });
  if (leftOut.length > 0) {
    notes.push(`optional arguments are left out: ${leftOut.join(', ')}`);
  }
  return texts;
}

const labelOf = (given: Argument): string =>
  given.type === 'named' ? given.name : (given.valueHint ?? given.description ?? 'without a name');

/** More than an argument or a default may have. */
const maxTextLength = 10_000;

/**
 * Its fixed value, or its default, with variables put in. Null when there is none or it is too long, or one
 * of the variables has none.
 */
function textOf({ value, default: preset, variables }: Template): { text: string } | 'secret' | null {
  const text = value ?? preset;
  if (text === undefined) {
    return null;
  }
  const parts = text.split(/\{([^{}]+)\}/);
  const texts: (string | undefined)[] = [];
  let length = 0;
  for (const [at, part] of parts.entries()) {
    const variable = at % 2 === 1 && Object.hasOwn(variables, part) ? variables[part] : undefined;
    if (variable !== undefined && (variable.isSecret || nameLooksSecret(part))) {
      return 'secret';
    }
    const own =
      variable === undefined ? (at % 2 === 1 ? `{${part}}` : part) : (variable.value ?? variable.default);
    length += own?.length ?? 0;
    if (own === undefined || length > maxTextLength) {
      return null;
    }
    texts.push(own);
  }
  return { text: texts.join('') };
}

function variableOf(key: string, given: NamedInput, choices: KindChoices, notes: string[]): PlannedVariable {
  const { name, value } = given;
  const whole = inputOfWhole(given);
  const { description, choices: allowed = [] } = whole;
  const text = textOf(given);
  const plain = text === null || text === 'secret' ? '' : text.text;
  const isSecret = whole.isSecret || text === 'secret';
  const kind = choices[choiceKey(key, name)] ?? (isSecret ? 'secret' : guessedKind(name, plain));
  const isComposed = value !== undefined && whole === given && Object.keys(given.variables).length > 0;
  if (isComposed && kind === 'secret') {
    notes.push(`the secret of ${name} holds its whole value, which has the form ${value}`);
  } else if (isComposed && plain === '') {
    notes.push(`the value of ${name} is to be given as a whole, in the form ${value}`);
  }
  return {
    name,
    kind,
    storedDefault: kind === 'value' && plain !== '' ? plain : null,
    isRequired: whole.isRequired || (plain === '' && partsOf(given).some(({ isRequired }) => isRequired)),
    ...(description === undefined ? {} : { description }),
    ...(allowed.length === 0 ? {} : { allowed }),
  };
}

/** The variables that a value is made of. */
const partsOf = ({ value = '', variables }: Template): PlainInput[] =>
  Object.entries(variables).flatMap(([name, input]) => (value.includes(`{${name}}`) ? [input] : []));

/** What is said of a value; where it is one variable and nothing else, what is said of that one as well. */
function inputOfWhole(given: NamedInput): NamedInput | PlainInput {
  const [, name = ''] = /^\{([^{}]+)\}$/.exec(given.value ?? '') ?? [];
  const only = Object.hasOwn(given.variables, name) ? given.variables[name] : undefined;
  return only === undefined
    ? given
    : {
        ...only,
        description: only.description ?? given.description,
        isSecret: only.isSecret || given.isSecret,
        isRequired: only.isRequired || given.isRequired,
      };
}
