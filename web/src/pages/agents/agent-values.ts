/** An agent as a form holds it, and as the API takes it. */
import { agentInput } from '../../../../contract/agent.ts';
import { fieldProblemsOf } from '../../../../contract/errors.ts';
import { InstructionsError } from '../../../../contract/scripted-instructions.ts';
import { maxShownName } from '../../../../contract/shown-name.ts';
import type { Agent } from '../../api/types.ts';
import { durationProblem } from '../../text/duration-words.ts';
import { linesOf } from '../../text/lines.ts';
import { type EnvRow, envOf, rowOf, rowProblems, rowsOf } from './env-values.ts';
import {
  type ModelAccessValues,
  modelAccessOf,
  modelAccessValuesOf,
  noModelAccess,
} from './model-access-values.ts';
import {
  noRepository,
  type RepositoryValues,
  repositoryOf,
  repositoryValuesOf,
} from './repository-values.ts';
import { newRun, type RunValues, runOf, runValuesOf } from './run-values.ts';
import { type ListeningValues, listeningOf, listeningValuesOf } from './sibling-values.ts';
import { problemsOfSteps } from './steps.ts';

export interface CompanionValues {
  name: string;
  run: RunValues;
  env: EnvRow[];
}

export interface SiblingValues extends CompanionValues, ListeningValues {}

export interface AgentValues {
  name: string;
  kind: Agent['kind'];
  run: RunValues;
  instructions: string;
  model: string;
  env: EnvRow[];
  siblings: SiblingValues[];
  services: CompanionValues[];
  network: Agent['network'];
  /** One destination a line. */
  egress: string;
  /** Empty for the platform's own limit; NaN for what was typed and is no length of time. */
  totalSeconds: number | '';
  idleSeconds: number | '';
  modelAccess: ModelAccessValues;
  repository: RepositoryValues;
}

/** The parts of an agent that a person decides. */
export type AgentDefinition = Omit<
  Agent,
  'id' | 'workspace_id' | 'owner_id' | 'archived_at' | 'created_at' | 'updated_at' | 'unavailable'
>;

export const exampleInstructions = JSON.stringify(
  {
    steps: [
      { call: 'platform.emit_status', arguments: { status: 'Working' } },
      { call: 'platform.end_session', arguments: { outcome: 'completed', summary: 'Done.' } },
    ],
  },
  null,
  2,
);

export const newAgent: AgentValues = {
  name: '',
  kind: 'worker',
  run: { ...newRun, type: 'scripted' },
  instructions: '',
  model: '',
  env: [],
  siblings: [],
  services: [],
  network: 'none',
  egress: '',
  totalSeconds: '',
  idleSeconds: '',
  modelAccess: noModelAccess,
  repository: noRepository,
};

export function valuesOf(agent: Agent): AgentValues {
  const { name, kind, run, instructions, model, network, limits } = agent;
  return {
    name,
    kind,
    run: runValuesOf(run),
    instructions,
    model: model ?? '',
    env: rowsOf(agent.env),
    siblings: agent.siblings.map((each) => ({ ...companionValuesOf(each), ...listeningValuesOf(each) })),
    services: agent.services.map(companionValuesOf),
    network,
    egress: agent.egress_allow.join('\n'),
    totalSeconds: limits.total_seconds ?? '',
    idleSeconds: limits.idle_seconds ?? '',
    modelAccess: modelAccessValuesOf(agent.model_access),
    repository: repositoryValuesOf(agent.repository),
  };
}

/**
 * Of a new agent like this one, with what its maker may set: exceptions of the network are an admin's. Grants
 * stay with the first one.
 */
export function copyOf(agent: Agent, { isAdmin }: { isAdmin: boolean }): AgentValues {
  const values = valuesOf(agent);
  // The limit counts code units, and no letter is cut in two.
  const letters = [...agent.name];
  const named = () => `${letters.join('')} copy`;
  while (named().length > maxShownName) {
    letters.pop();
  }
  return { ...values, name: named(), egress: isAdmin ? values.egress : '' };
}

const companionValuesOf = ({ name, run, env }: Agent['services'][number]): CompanionValues => ({
  name,
  run: runValuesOf(run),
  env: rowsOf(env),
});

const companionOf = ({ name, run, env }: CompanionValues): Agent['services'][number] => ({
  name: name.trim(),
  run: runOf(run),
  env: envOf(env),
});

export function contentOf(values: AgentValues): AgentDefinition {
  const { name, kind, run, instructions, model, network, totalSeconds, idleSeconds } = values;
  return {
    name: name.trim(),
    kind,
    run: runOf(run),
    instructions,
    model: model.trim() === '' ? null : model.trim(),
    env: envOf(values.env),
    siblings: values.siblings.map((each) => ({ ...companionOf(each), ...listeningOf(each) })),
    services: values.services.map(companionOf),
    network,
    egress_allow: linesOf(values.egress),
    limits: {
      total_seconds: totalSeconds === '' ? null : totalSeconds,
      idle_seconds: idleSeconds === '' ? null : idleSeconds,
    },
    model_access: modelAccessOf(values.modelAccess),
    repository: repositoryOf(values.repository),
  };
}

/** Only what differs, so that a save does not undo concurrent changes of other fields. */
export function changesBetween(before: AgentDefinition, after: AgentDefinition): Partial<AgentDefinition> {
  const changes: Partial<AgentDefinition> = { ...after };
  for (const key of Object.keys(after) as (keyof AgentDefinition)[]) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) {
      delete changes[key];
    }
  }
  return changes;
}

/**
 * Why the built-in scripted agent could not follow the instructions; null when it can,
 * or for every other agent.
 */
export function instructionsProblem({ run, instructions }: Pick<AgentValues, 'run' | 'instructions'>) {
  const problems = run.type === 'scripted' ? problemsOfSteps(instructions) : [];
  return problems.length === 0 ? null : new InstructionsError(problems).message;
}

const renamed: Record<string, string> = {
  'limits.total_seconds': 'totalSeconds',
  'limits.idle_seconds': 'idleSeconds',
  'run.name': 'run.type',
  model_access: 'modelAccess.key',
  repository: 'repository.name',
  'model_access.api_key': 'modelAccess.key',
  'model_access.endpoint': 'modelAccess.endpoint',
  'model_access.requests_per_session': 'modelAccess.requests',
  'model_access.tokens_per_session': 'modelAccess.tokens',
  'ready.timeout_seconds': 'ready.timeoutSeconds',
};

/** The form's field for a path of the API, such as `env.2.text` for `env.API_TOKEN`. */
export function fieldOf(values: AgentValues, path: string): string {
  const companion = /^(siblings|services)\.(\d+)\.(.*)$/s.exec(path);
  if (companion !== null) {
    const [, list = '', at = '', rest = ''] = companion;
    const inside = list === 'siblings' ? values.siblings[Number(at)] : values.services[Number(at)];
    return `${list}.${at}.${inside === undefined ? rest : ownField(inside.env, rest)}`;
  }
  return ownField(values.env, path);
}

const ownFields =
  /^(name|model|kind|instructions|network|egress|totalSeconds|idleSeconds|modelAccess\.(key|endpoint|models|requests|tokens)|repository\.(name|path|ref)|run\.(type|preset|command|image|args\.\d+)|env\.\d+\.(name|text))$/;
const fieldsOfCompanion =
  /^(siblings|services)\.\d+\.(name|run\.(type|command|image|args\.\d+)|env\.\d+\.(name|text)|port|ready\.(type|command|args\.\d+|timeoutSeconds))$/;

/** Whether the form has this field, which then shows its problem itself. */
export const hasField = (field: string): boolean => ownFields.test(field) || fieldsOfCompanion.test(field);

function ownField(env: readonly EnvRow[], path: string): string {
  if (path.startsWith('env.')) {
    const row = rowOf(env, path.slice('env.'.length));
    return row === null ? path : `env.${row}`;
  }
  if (path.startsWith('model_access.models')) {
    return 'modelAccess.models';
  }
  return path.startsWith('egress_allow') ? 'egress' : (renamed[path] ?? path);
}

/** Problems by field of the form, by the platform's rules; empty when it can be sent. */
export function problemsOf(values: AgentValues): Record<string, string> {
  const parsed = agentInput.safeParse(contentOf(values));
  const byRules = parsed.success ? [] : fieldProblemsOf(parsed.error);
  const instructions = instructionsProblem(values);
  return {
    ...Object.fromEntries(byRules.map(({ path, message }) => [fieldOf(values, path), message])),
    ...prefixed('env', rowProblems(values.env)),
    ...companionProblems('siblings', values.siblings),
    ...companionProblems('services', values.services),
    ...(instructions === null ? {} : { instructions }),
    ...Object.fromEntries(unreadDurations(values).map((field) => [field, durationProblem])),
  };
}

const unreadDurations = (values: AgentValues) =>
  (['totalSeconds', 'idleSeconds'] as const).filter((field) => Number.isNaN(values[field]));

const prefixed = (prefix: string, problems: Record<string, string>) =>
  Object.fromEntries(Object.entries(problems).map(([path, message]) => [`${prefix}.${path}`, message]));

const companionProblems = (list: string, companions: readonly CompanionValues[]) =>
  Object.assign({}, ...companions.map(({ env }, at) => prefixed(`${list}.${at}.env`, rowProblems(env))));
