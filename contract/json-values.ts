/**
 * Counts the JSON values in a text before it is parsed: parsing many small ones, and above all validating
 * them by a schema, blocks the event loop for up to a second per megabyte.
 */

export { countPart, countValues, holdsMoreValues } from './count-json-values.mjs';

/** For an event of an agent. */
export const maxAgentValues = 1000;
/**
 * For an agent's message to the server `platform`: what a tool of the API is given fits into a request to the
 * API, with what surrounds it.
 */
export const maxToolMessageValues = 9000;
/** For a request to the API: a sidecar reports 500 calls at a time, and a manifest names 1,000 tools. */
export const maxRequestValues = 10_000;
