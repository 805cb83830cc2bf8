/**
 * How many JSON values a text holds, counted before anything is made of it: who reads many small ones at once, by a schema above all,
 * holds up everything else in its process for up to a second a megabyte.
 */

export { holdsMoreValues } from './count-json-values.mjs';

/** Of a message of an agent to the server `platform`, or of its event: the longest list that a tool of the platform takes has 50 items. */
export const maxAgentValues = 1000;
/** Of a request to the API: a sidecar reports 500 calls at a time, and a manifest names 1,000 tools. */
export const maxRequestValues = 10_000;
