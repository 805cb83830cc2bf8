/** Between a runtime and the model program of a session (docs/decisions/0056-model-access.md). */
import * as z from 'zod';
import { maximumField, modelDialect } from './model-access.ts';

/** The one variable of the program's environment that is a secret: the key. */
export const modelKeyVariable = 'MODEL_API_KEY';

/** What the program runs with: one argument, as JSON. It holds no key. */
export const modelProgramConfig = z.strictObject({
  dialect: modelDialect,
  /** Of the endpoint: the dialect's one path below it is all that is asked of it. */
  base_url: z.url({ protocol: /^https?$/ }),
  /** Which models may be asked; none named: any. */
  models: z.array(z.string()),
  /** What a request may write that names no maximum, where its dialect lets it. */
  default_max_tokens: z.int().min(1),
  /** As the operator lists it. */
  maximum_field: maximumField.optional(),
  /** Where its sockets are (`modelSockets`), as the program sees them. */
  socket_directory: z.string(),
  /**
   * Of hosts that the operator listed, by `host` of a URL: they may have a private
   * address, or speak plain HTTP.
   */
  private_hosts: z.record(z.string(), z.enum(['https', 'http'])),
  /**
   * Where a runtime forwards to the host of `base_url`, one of the private ones: connected to in its place,
   * and for that host alone.
   */
  host_socket: z.string().optional(),
});
export type ModelProgramConfig = z.infer<typeof modelProgramConfig>;
