/**
 * Servers that somebody pastes, as entries of the catalog: a desktop client's configuration (`mcpServers`),
 * or documents of the MCP registry (`server.json`). Values that look secret become fields that a secret fills
 * in; the values themselves go nowhere. Whatever cannot be imported is named.
 */
import { type Availability, unavailableEntry } from '../../../../contract/available-runs.ts';
import {
  emptyManifest,
  mcpServerInput,
  type McpServerInput as ParsedInput,
} from '../../../../contract/catalog.ts';
import { type FieldProblem, fieldProblemsOf } from '../../../../contract/errors.ts';
import { manifestProblems } from '../../../../contract/manifest-validation.ts';
import { remoteServerProblems } from '../../../../contract/remote-server.ts';
import { lookOfEntryName } from '../../../../contract/shown-name.ts';
import type { McpServerInput } from '../../api/types.ts';
import { serversIn } from './desktop-configuration.ts';
import { desktopCandidate } from './desktop-server.ts';
import type { ImportCandidate } from './import-candidate.ts';
import { type Problem, readPastedJson } from './pasted/json.ts';
import { type KindChoices, manifestOf, type PlannedVariable, variableProblems } from './planned-variable.ts';
import { registryCandidates, registryServersIn } from './registry-server.ts';

export interface PlannedServer {
  /** Its key in the configuration, or its name in the registry. */
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
  const found = candidatesIn(text, options.kinds ?? {});
  if ('problem' in found) {
    return { servers: [], problem: found.problem };
  }
  const names = new Map((options.taken ?? []).map((name) => [lookOfEntryName(name), name]));
  const servers = found.map(({ key, name, candidates }) => {
    const planned = firstThatRuns(key, name, candidates, options);
    const { name: own } = planned.input;
    const other = names.get(lookOfEntryName(own));
    if (other !== undefined) {
      const alike = other === own ? '' : `, which "${own}" looks like`;
      planned.problems.push(
        `the catalog already has "${other}"${alike}; rename it in the text, or remove the other`,
      );
    }
    names.set(lookOfEntryName(own), other ?? own);
    return planned;
  });
  return { servers, problem: servers.length === 0 ? 'No servers found.' : null };
}

interface FoundServer {
  key: string;
  /** The nearest name that an entry may have. */
  name: string;
  /** The ways to run it, at least one, the preferred first. */
  candidates: ImportCandidate[];
}

function candidatesIn(text: string, choices: KindChoices): FoundServer[] | Problem {
  const pasted = readPastedJson(text);
  if ('problem' in pasted) {
    return pasted;
  }
  const documents = registryServersIn(pasted.value);
  if (documents !== null) {
    return documents.map((document) => ({
      key: document.name,
      name: entryNameOf(document.name.split('/').at(-1) ?? ''),
      candidates: registryCandidates(document, choices),
    }));
  }
  const found = serversIn(pasted.value);
  return 'problem' in found
    ? found
    : found.servers.map(([key, given]) => ({
        key,
        name: entryNameOf(key),
        candidates: [desktopCandidate(key, given, { choices, inputs: found.inputs })],
      }));
}

/** The first way without a problem, else the first; the others are named in a note. */
function firstThatRuns(
  key: string,
  name: string,
  candidates: readonly ImportCandidate[],
  options: ImportOptions,
): PlannedServer {
  const planned = candidates.map((candidate) => plan(key, name, candidate, options));
  const at = Math.max(
    0,
    planned.findIndex(({ problems }) => problems.length === 0),
  );
  const chosen = planned[at];
  if (chosen === undefined) {
    throw new Error(`${key} has no way to run`);
  }
  const others = candidates.flatMap(({ label }, index) => (index === at || label === null ? [] : [label]));
  if (others.length > 0) {
    chosen.notes.push(`imported as ${candidates[at]?.label}; it is also offered as ${others.join(', ')}`);
  }
  return chosen;
}

function plan(
  key: string,
  name: string,
  { shape, variables, toolScopes = {}, hasNoNetwork = false, notes, problems }: ImportCandidate,
  { withoutNetwork, here }: ImportOptions,
): PlannedServer {
  const input: McpServerInput = {
    name,
    shape,
    ...(variables.length === 0 && Object.keys(toolScopes).length === 0
      ? {}
      : { manifest: manifestOf(variables, toolScopes) }),
    // A remote server is reached over the internet.
    ...(shape.type !== 'remote' && (hasNoNetwork || withoutNetwork?.has(key)) ? { network: 'none' } : {}),
  };
  const parsed = mcpServerInput.safeParse(input);
  const refused = parsed.success ? refusedAtSave(parsed.data) : fieldProblemsOf(parsed.error);
  const { network = 'internet' } = input;
  const unavailable =
    here === undefined ? null : unavailableEntry({ shape, network, egress_allow: [] }, here);
  return {
    key,
    input,
    variables,
    notes: [
      ...(name === key ? [] : [`"${key}" is no name that the catalog takes: it will be named "${name}"`]),
      ...new Set(notes),
    ],
    problems: [
      ...new Set(problems),
      ...variableProblems(variables),
      ...(problems.length > 0 ? [] : refused.map(sentenceOf)),
      ...(unavailable === null ? [] : [`it cannot run here: ${unavailable}`]),
    ],
  };
}

/** What saving refuses beyond the schema, by the platform's own rules. */
const refusedAtSave = (input: ParsedInput): FieldProblem[] => [
  ...remoteServerProblems(input),
  // No expression is ever imported, so that none has to run.
  ...manifestProblems(input.manifest ?? emptyManifest, () => ({ result: 'not_checked' })),
];

const sentenceOf = ({ path, code, message }: FieldProblem): string =>
  code === 'reserved_variable' ? `${message}: remove it from the text` : `${path} ${message}`;

const maxNameLength = 32;

/**
 * The nearest name that an entry may have; the rule for names rejects the rest. `GitHub` is one word and
 * `notionApi` are two. A name that is too long ends with a word, where that leaves most of it.
 */
export function entryNameOf(key: string): string {
  const words = /^[a-z]/.test(key) ? key.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2') : key;
  const name = words
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const cut = name.slice(0, maxNameLength);
  const lastWord = cut.lastIndexOf('-');
  const isMidWord = name.length > maxNameLength && name[maxNameLength] !== '-';
  const short = (isMidWord && lastWord > maxNameLength / 2 ? cut.slice(0, lastWord) : cut).replace(/-+$/, '');
  // Of a name in other letters nothing is left.
  return short === '' && /[\p{L}\p{N}\p{So}]/u.test(key) ? 'server' : short;
}
