/** Bounds of what a person sees of permission requests, shared with the web UI. */

/** How many requests of one agent for one tool are decided together at most. */
export const mostTogether = 10;

/** Of an agent's earlier requests: from how many days, how many of the last, and how many are named. */
export const earlierBounds = { days: 30, looked: 1000, named: 5 } as const;
