/** The frozen configuration as people may read it: references as written, plain values omitted. */
import * as z from 'zod';
import {
  type FrozenConfiguration,
  type FrozenEnv,
  type FrozenVariable,
  frozenCompanion,
  frozenConfiguration,
  frozenModelAccess,
  frozenServer,
  frozenSibling,
} from '../../contract/session.ts';

/** `reference` such as `${NAME}`; null for a plain value. */
const shownVariable = z.strictObject({ reference: z.string().nullable() });
const shownEnv = z.record(z.string(), shownVariable);
const shownCompanion = frozenCompanion.extend({ env: shownEnv });

export const shownConfiguration = frozenConfiguration.extend({
  agent: frozenConfiguration.shape.agent.extend({
    env: shownEnv,
    model_access: frozenModelAccess.extend({ api_key: shownVariable }).optional(),
  }),
  servers: z.array(frozenServer.omit({ manifest_env: true }).extend({ env: shownEnv })),
  siblings: z.array(frozenSibling.extend({ env: shownEnv })),
  services: z.array(shownCompanion),
});

export function presentConfiguration(configuration: FrozenConfiguration): z.infer<typeof shownConfiguration> {
  const { servers, siblings, services } = configuration;
  const { model_access: access, ...agent } = configuration.agent;
  return {
    ...configuration,
    agent: {
      ...withoutValues(agent),
      ...(access === undefined ? {} : { model_access: { ...access, api_key: withoutValue(access.api_key) } }),
    },
    servers: servers.map(({ manifest_env: _, ...server }) => withoutValues(server)),
    siblings: siblings.map(withoutValues),
    services: services.map(withoutValues),
  };
}

function withoutValues<Part extends { env: FrozenEnv }>(part: Part) {
  const env: z.infer<typeof shownEnv> = {};
  for (const [name, variable] of Object.entries(part.env)) {
    env[name] = withoutValue(variable);
  }
  return { ...part, env };
}

const withoutValue = (variable: FrozenVariable): z.infer<typeof shownVariable> => ({
  reference: variable.kind === 'secret' ? `\${${variable.secret_name}}` : null,
});
