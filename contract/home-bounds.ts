/** How much the first page of a workspace holds, for the API that reads it and the page that shows it. */
export const homeBounds = {
  /** Rows of each part. */
  rows: 5,
  /** A count that is this large may be larger. */
  counted: 100,
  /** Of the last seven days, the newest ones. */
  sessionsOfWeek: 10_000,
  requestsOfWeek: 10_000,
  schedules: 200,
} as const;
