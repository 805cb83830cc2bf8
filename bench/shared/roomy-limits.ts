const many = '1000000000';

/**
 * Settings of `npm start` under which no limit, rate or quota of the platform is part of a figure; its
 * fixed ones are not come near.
 */
export const roomyLimits: Readonly<Record<string, string>> = {
  DEMO_SESSION: 'false',
  RATE_USER_PER_MINUTE: many,
  RATE_SESSIONS_PER_HOUR_PER_USER: many,
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: many,
  LIMIT_RUNNING_SESSIONS_PER_USER: many,
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: many,
  LIMIT_USER_CONCURRENT_REQUESTS: '1000',
  LIMIT_EVENT_STREAMS_PER_PROCESS: many,
  LIMIT_SESSION_CALLS: many,
  // The other rates of a session grow with it.
  RATE_SESSION_CALLS_PER_MINUTE: many,
};
