/** How much a first page and Insights hold, for the API that reads them and the pages that show them. */
export const homeBounds = {
  /** Rows of each part. */
  rows: 5,
  /** A count that is this large may be larger. */
  counted: 100,
  /** Of the days that are counted, the newest ones. */
  sessions: 10_000,
  requests: 10_000,
  /** Of the audit trail. */
  callEntries: 50_000,
  /** Agents, with each of the endpoints that they used. */
  modelUses: 100,
  schedules: 200,
} as const;
