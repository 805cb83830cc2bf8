/** Which endpoints of language models a workspace's agents may name. */
import * as z from 'zod';
import { allModelEndpoints } from '../../config/model-endpoints.ts';
import type { Agent } from '../../contract/agent.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import {
  endpointsOf,
  findEndpoint,
  noSuchEndpoint,
  offeredEndpoint,
  unspokenDialect,
} from '../../contract/model-endpoint.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

export const modelEndpointsRoute = ({ config }: Pick<ApiDependencies, 'config'>): AnyRoute =>
  defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/model-endpoints',
    summary: 'The endpoints of language models that agents of the workspace may name, with their dialects',
    scope: 'workspace',
    access: anyMember,
    response: z.strictObject({ model_endpoints: z.array(offeredEndpoint) }),
    handler: async ({ workspace }) => ({
      model_endpoints: endpointsOf(allModelEndpoints(config), workspace.slug).map(({ name, dialect }) => ({
        name,
        dialect,
      })),
    }),
  });

/** Judged when it is saved, and again when a session starts. */
export function endpointProblems(
  { model_access: access, run, model }: Pick<Agent, 'model_access' | 'run' | 'model'>,
  config: ApiDependencies['config'],
  slug: string,
): FieldProblem[] {
  if (access === null) {
    return [];
  }
  const found = findEndpoint(allModelEndpoints(config), access.endpoint, slug);
  const path = 'model_access.endpoint';
  if (found === null) {
    return [{ path, code: 'unknown_reference', message: noSuchEndpoint(access.endpoint) }];
  }
  const message = unspokenDialect({ run, model }, found.dialect);
  return message === null ? [] : [{ path, code: 'invalid_reference', message }];
}
