/**
 * What the MCP SDK's client takes from its `_shims`, without the JSON Schema validator there: it would be a
 * third of the bridge's program, and a transport validates nothing with it. The build puts this module in the
 * place of the SDK's (scripts/build.mjs).
 */
export const CORS_IS_POSSIBLE = false;

export class DefaultJsonSchemaValidator {
  /** Always throws. */
  getValidator(): never {
    throw new Error('the bridge validates nothing by a JSON Schema');
  }
}
