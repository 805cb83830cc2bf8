/** A remote address as the MCP registry describes it, with the headers that a person fills in. Pure. */
import * as z from 'zod';
import { nameLooksSecret, valueLooksSecret } from '../../text/secret-looks.ts';
import { type ImportCandidate, urlProblems } from './import-candidate.ts';
import { type GivenHeader, importedHeader, keptHeader, templateOf } from './imported-headers.ts';
import { choiceKey, type KindChoices, type PlannedVariable } from './planned-variable.ts';
import { type NamedInput, named, type PlainInput, plainInput } from './registry-input.ts';

export const registryRemote = z.object({
  type: z.string(),
  url: z.string().max(2048),
  /** What `{name}` in the url stands for. */
  variables: z.record(z.string(), plainInput).default({}),
  headers: z.array(named).default([]),
});
type Remote = z.infer<typeof registryRemote>;
type RemoteShape = Extract<ImportCandidate['shape'], { type: 'remote' }>;

/** `key` is the server's name. */
export function remotely(
  key: string,
  { type, url: given, variables, headers }: Remote,
  choices: KindChoices,
): ImportCandidate {
  const notes: string[] = [];
  const url = withDefaults(given, variables, notes);
  const shape: RemoteShape = { type: 'remote', url };
  const candidate = {
    label: `the remote ${url}`,
    shape,
    variables: [] as PlannedVariable[],
    notes,
    problems: [
      ...(type === 'streamable-http'
        ? []
        : [
            `its remote speaks ${type}, which is not supported here: use its address for streamable-http, if it has one`,
          ]),
      ...(/\{[^{}]+\}/.test(url)
        ? ['its url has variables: put their values into the text']
        : urlProblems(url)),
    ],
  };
  const isLeftOut = ({ isRequired, value }: NamedInput) => !isRequired && value === undefined;
  for (const header of headers.filter((each) => !isLeftOut(each))) {
    addHeader(candidate, key, header, choices);
  }
  const optional = headers.filter(isLeftOut).map(({ name }) => name);
  if (optional.length > 0) {
    candidate.notes.push(`optional headers are left out: ${optional.join(', ')}`);
  }
  return candidate;
}

/**
 * The address with the defaults of its variables put in, except of secret ones, which everybody would read.
 */
function withDefaults(url: string, variables: Readonly<Record<string, PlainInput>>, notes: string[]): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (written, name: string) => {
    const input = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const text = input?.value ?? input?.default;
    if (text === undefined || text === '' || input?.isSecret === true || nameLooksSecret(name)) {
      return written;
    }
    notes.push(`{${name}} in its url is taken to be its default, ${text}`);
    return text;
  });
}

function addHeader(
  candidate: Pick<ImportCandidate, 'variables' | 'notes' | 'problems'> & { shape: RemoteShape },
  key: string,
  given: NamedInput,
  choices: KindChoices,
): void {
  const { name, value, isSecret, variables } = given;
  const template: GivenHeader['template'] = value === undefined ? null : templateOf(value);
  const imported =
    isSecret && template !== null && template.variable === null
      ? {
          problem: `its header ${name} is secret, and has its value in the text: write a variable in its place`,
        }
      : importedHeader({ name, template });
  const kept = keptHeader(imported, candidate);
  if (kept === null) {
    return;
  }
  const { header, literal } = kept;
  const own = template?.variable ?? null;
  const described = own === null ? given : Object.hasOwn(variables, own) ? variables[own] : undefined;
  const input: PlainInput = described ?? { isRequired: true, isSecret: true };
  candidate.shape.headers = [...(candidate.shape.headers ?? []), header];
  candidate.variables.push(
    variableOf(key, header.variable, literal === null ? input : { ...input, default: literal }, {
      isSecret: literal === null && (isSecret || nameLooksSecret(name)),
      choices,
    }),
  );
}

/** A secret, unless the text says which values it may have, or has by default. */
function variableOf(
  key: string,
  name: string,
  { isRequired, isSecret, description, default: preset, choices: allowed = [] }: PlainInput,
  header: { isSecret: boolean; choices: KindChoices },
): PlannedVariable {
  const isPlain =
    !isSecret &&
    !header.isSecret &&
    !nameLooksSecret(name) &&
    !valueLooksSecret(preset ?? '') &&
    (preset !== undefined || allowed.length > 0);
  const kind = header.choices[choiceKey(key, name)] ?? (isPlain ? 'value' : 'secret');
  return {
    name,
    kind,
    storedDefault: kind === 'value' && preset !== undefined && preset !== '' ? preset : null,
    isRequired,
    ...(description === undefined ? {} : { description }),
    ...(allowed.length === 0 ? {} : { allowed }),
  };
}
