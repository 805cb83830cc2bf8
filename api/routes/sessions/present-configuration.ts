/** The frozen configuration as people may read it: references as written, plain values omitted. */
import * as z from 'zod';
import {
  type FrozenConfiguration,
  type FrozenEnv,
  frozenCompanion,
  frozenConfiguration,
  frozenServer,
  frozenSibling,
} from '../../../contract/session.ts';

/** `reference` such as `${NAME}`; null for a plain value. */
const shownEnv = z.record(z.string(), z.strictObject({ reference: z.string().nullable() }));
const shownCompanion = frozenCompanion.extend({ env: shownEnv });

export const shownConfiguration = frozenConfiguration.extend({
  agent: frozenConfiguration.shape.agent.extend({ env: shownEnv }),
  servers: z.array(frozenServer.omit({ manifest_env: true }).extend({ env: shownEnv })),
  siblings: z.array(frozenSibling.extend({ env: shownEnv })),
  services: z.array(shownCompanion),
});

export function presentConfiguration(configuration: FrozenConfiguration): z.infer<typeof shownConfiguration> {
  const { agent, servers, siblings, services } = configuration;
  return {
    ...configuration,
    agent: withoutValues(agent),
    servers: servers.map(({ manifest_env: _, ...server }) => withoutValues(server)),
    siblings: siblings.map(withoutValues),
    services: services.map(withoutValues),
  };
}

function withoutValues<Part extends { env: FrozenEnv }>(part: Part) {
  const env: z.infer<typeof shownEnv> = {};
  for (const [name, variable] of Object.entries(part.env)) {
    env[name] = { reference: variable.kind === 'secret' ? `\${${variable.secret_name}}` : null };
  }
  return { ...part, env };
}
