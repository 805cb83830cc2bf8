/** The endpoints of language models that an operator lists by name (docs/operations.md#models). Pure. */
import * as z from 'zod';
import { acpPresets } from './acp-preset.ts';
import type { Agent } from './agent.ts';
import { type ModelDialect, maximumField, modelDialect, modelEndpointName } from './model-access.ts';
import { workspaceSlug } from './names.ts';

/** The one of MODEL_BASE_URL, unless the list has another of that name. */
export const defaultEndpointName = 'default';

export const modelEndpoint = z.strictObject({
  name: modelEndpointName,
  dialect: modelDialect,
  base_url: z.string(),
  /** Which workspaces may use it; absent: all. */
  workspaces: z.array(workspaceSlug).optional(),
  /** What a request may write that names no maximum of its own, where its dialect lets it. */
  default_max_tokens: z.int().min(1).max(1_000_000).default(16_384),
  /** By which it takes a maximum in Chat Completions; absent: `max_tokens`. */
  maximum_field: maximumField.optional(),
});
export type ModelEndpoint = z.infer<typeof modelEndpoint>;
export type ModelEndpoints = ReadonlyMap<string, ModelEndpoint>;

/** As people choose one: where it is, is the operator's to know. */
export const offeredEndpoint = modelEndpoint.pick({ name: true, dialect: true });

const mayUse = ({ workspaces }: ModelEndpoint, slug: string): boolean => workspaces?.includes(slug) ?? true;

export const endpointsOf = (endpoints: ModelEndpoints, slug: string): ModelEndpoint[] =>
  [...endpoints.values()].filter((each) => mayUse(each, slug));

/** Null for one that there is not, and for one that the workspace may not use: nobody learns which. */
export function findEndpoint(endpoints: ModelEndpoints, name: string, slug: string): ModelEndpoint | null {
  const found = endpoints.get(name);
  return found !== undefined && mayUse(found, slug) ? found : null;
}

/** Why an agent cannot ask by a dialect; null where it can, or where that is unknown. */
export function unspokenDialect(
  { run, model }: Pick<Agent, 'run' | 'model'>,
  dialect: ModelDialect,
): string | null {
  const name = run.type === 'builtin' ? run.name : '';
  const preset = run.type === 'builtin' && run.name === 'acp' ? run.preset : 'custom';
  const { dialects: spoken, dialectsOfNamedModels } = acpPresets[name === 'claude' ? name : preset];
  const what = name === 'claude' ? 'the built-in agent "claude"' : `the agent "${preset}"`;
  if (!spoken.includes(dialect)) {
    return `must name an endpoint that speaks ${spoken.join(' or ')}: ${what} knows no other dialect`;
  }
  const isNameless = name === 'acp' && model === null && dialectsOfNamedModels.includes(dialect);
  return isNameless
    ? `speaks ${dialect}, by which ${what} asks only for a model that is named: name one, or another endpoint`
    : null;
}

/** Said at save and at launch, too: an operator may have changed the endpoint between them. */
export const noSuchEndpoint = (name: string) =>
  `names the endpoint "${name}", which this workspace does not have; an operator lists those of language models`;
