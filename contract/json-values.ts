/**
 * Counts the JSON values in a text before it is parsed: parsing many small ones, and above all validating them by a schema,
 * blocks the event loop for up to a second per megabyte.
 */

export { countPart, countValues, holdsMoreValues } from './count-json-values.mjs';

/** For an agent's message to the server `platform`, or its event: the longest list that a platform tool takes has 50 items. */
export const maxAgentValues = 1000;
/** For a request to the API: a sidecar reports 500 calls at a time, and a manifest names 1,000 tools. */
export const maxRequestValues = 10_000;
