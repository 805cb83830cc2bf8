/**
 * What the MCP SDK takes from its `_shims`, without the JSON Schema validator there: it would be a quarter of
 * the sidecar's program. The SDK validates with it only what a client answers to an elicitation, and no tool
 * of the platform makes one. The build puts this module in the place of the SDK's (scripts/build.mjs).
 */
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  /** Always throws. */
  getValidator(): never {
    throw new Error('the tools of the platform validate nothing by a JSON Schema');
  }
}
