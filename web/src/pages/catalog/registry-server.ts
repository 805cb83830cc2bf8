/**
 * A server as the MCP registry describes it (`server.json`, of 2025-09-29 and later): packages and remote addresses, of which an entry
 * runs one. Pure.
 */
import * as z from 'zod';
import { isPlainRecord } from './desktop-configuration.ts';
import { type ImportCandidate, secretArguments, secretInUrl } from './import-candidate.ts';
import { choiceKey, guessedKind, type KindChoices, type PlannedVariable } from './planned-variable.ts';

const input = z.object({
  description: z.string().optional(),
  isRequired: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  default: z.string().optional(),
  /** Fixed by the server's author; `{name}` stands for one of `variables`. */
  value: z.string().optional(),
  choices: z.array(z.string()).optional(),
});
const template = input.extend({ variables: z.record(z.string(), input).default({}) });
type Template = z.infer<typeof template>;
const argument = z.discriminatedUnion('type', [
  template.extend({ type: z.literal('positional'), valueHint: z.string().optional() }),
  template.extend({ type: z.literal('named'), name: z.string() }),
]);
type Argument = z.infer<typeof argument>;
const named = template.extend({ name: z.string() });

const registryPackage = z.object({
  registryType: z.string(),
  registryBaseUrl: z.string().optional(),
  identifier: z.string(),
  version: z.string().optional(),
  runtimeHint: z.string().optional(),
  transport: z.object({ type: z.string() }).default({ type: 'stdio' }),
  runtimeArguments: z.array(argument).default([]),
  packageArguments: z.array(argument).default([]),
  environmentVariables: z.array(named).default([]),
});
type RegistryPackage = z.infer<typeof registryPackage>;

const remote = z.object({ type: z.string(), url: z.string(), headers: z.array(named).default([]) });
type Remote = z.infer<typeof remote>;

export interface RegistryServer {
  name: string;
  status: unknown;
  packages: unknown[];
  remotes: unknown[];
}

/** The documents in a text: one, one as the registry's API answers, or its list. Null for a text that holds none. */
export function registryServersIn(text: string): RegistryServer[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const list = isPlainRecord(value) && Array.isArray(value['servers']) ? value['servers'] : [value];
  const documents = list.map(documentIn).filter((document) => document !== null);
  return documents.length === 0 ? null : documents;
}

function documentIn(value: unknown): RegistryServer | null {
  const document = isPlainRecord(value) && isPlainRecord(value['server']) ? value['server'] : value;
  if (!isPlainRecord(document) || typeof document['name'] !== 'string') {
    return null;
  }
  const { name, status, packages, remotes } = document;
  return Array.isArray(packages) || Array.isArray(remotes)
    ? {
        name,
        status,
        packages: Array.isArray(packages) ? packages : [],
        remotes: Array.isArray(remotes) ? remotes : [],
      }
    : null;
}

const nothing: ImportCandidate['shape'] = { type: 'command', command: '', args: [] };

/** The ways in which it runs, in its author's order; at least one. */
export function registryCandidates(server: RegistryServer, choices: KindChoices): ImportCandidate[] {
  const candidates = [
    ...server.packages.map((given) =>
      parsed(registryPackage, given, (each) => packaged(server, each, choices)),
    ),
    ...server.remotes.map((given) => parsed(remote, given, remotely)),
  ];
  const deprecated = server.status === 'deprecated' || server.status === 'deleted';
  return candidates.length === 0
    ? [
        {
          label: null,
          shape: nothing,
          variables: [],
          notes: [],
          problems: ['it names no package and no remote'],
        },
      ]
    : candidates.map((candidate) => ({
        ...candidate,
        notes: deprecated
          ? [`its author marked it as ${server.status}`, ...candidate.notes]
          : candidate.notes,
      }));
}

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
    transport.type === 'stdio' ? [] : [`its package speaks ${transport.type}; packages speak stdio here`];
  const shape = shapeOf(given, notes, problems);
  const variables = given.environmentVariables.map((each) => variableOf(server.name, each, choices, notes));
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
      problems.push('it needs arguments, and images run without any here');
    }
    if (given.runtimeArguments.length > 0) {
      notes.push(
        `options of the container engine are left out: ${given.runtimeArguments.map(labelOf).join(', ')}`,
      );
    }
    return { type: 'image', image: imageOf(given) };
  }
  const runner = Object.hasOwn(runners, registryType) ? runners[registryType] : undefined;
  if (runner === undefined) {
    problems.push(`packages of the type ${registryType} cannot run here`);
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
  problems.push(...secretArguments(all));
  return { type: 'command', command, args: all };
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
    if (text === 'secret' || each.isSecret) {
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

/** Its fixed value, or its default, with variables put in. Null when there is none, or one of the variables has none. */
function textOf({ value, default: preset, variables }: Template): { text: string } | 'secret' | null {
  const text = value ?? preset;
  if (text === undefined) {
    return null;
  }
  const used = [...text.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name = '']) =>
    Object.hasOwn(variables, name) ? [{ name, ...variables[name] }] : [],
  );
  if (used.some(({ isSecret }) => isSecret)) {
    return 'secret';
  }
  let result = text;
  for (const { name, value: fixed, default: usual } of used) {
    const own = fixed ?? usual;
    if (own === undefined) {
      return null;
    }
    result = result.replaceAll(`{${name}}`, () => own);
  }
  return { text: result };
}

function variableOf(
  key: string,
  given: z.infer<typeof named>,
  choices: KindChoices,
  notes: string[],
): PlannedVariable {
  const { name, value, description, choices: allowed = [], isRequired } = given;
  const text = textOf(given);
  const plain = text === null || text === 'secret' ? '' : text.text;
  const isSecret = given.isSecret || text === 'secret';
  const kind = choices[choiceKey(key, name)] ?? (isSecret ? 'secret' : guessedKind(name, plain));
  if (kind === 'secret' && value !== undefined && Object.keys(given.variables).length > 0) {
    notes.push(`the secret of ${name} holds its whole value, which has the form ${value}`);
  }
  return {
    name,
    kind,
    storedDefault: kind === 'value' && plain !== '' ? plain : null,
    isRequired,
    ...(description === undefined ? {} : { description }),
    ...(allowed.length === 0 ? {} : { allowed }),
  };
}

function remotely({ type, url, headers }: Remote): ImportCandidate {
  const problems = [
    ...(type === 'streamable-http' ? [] : [`its remote speaks ${type}, which is not supported here`]),
    ...(/\{[^{}]+\}/.test(url)
      ? ['its url has variables: put their values into the text']
      : secretInUrl(url)),
    ...headers
      .filter(({ isRequired }) => isRequired)
      .map(({ name }) => `it needs the header ${name}, and remote servers take none yet`),
  ];
  const optional = headers.filter(({ isRequired }) => !isRequired).map(({ name }) => name);
  return {
    label: `the remote ${url}`,
    shape: { type: 'remote', url },
    variables: [],
    notes: optional.length === 0 ? [] : [`optional headers are left out: ${optional.join(', ')}`],
    problems,
  };
}
