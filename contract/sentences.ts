/** Sentences that several parts of the platform say, each of which may be the one that notices. */

/** A decision that came after another, or after the request's end. */
export const alreadyDecidedSentence = (status = 'decided') => `The permission request is already ${status}`;

/** Who asked, and their reason, are on the session's row and stay out of Temporal. */
export const askedToEnd = 'The session was asked to end';

/** How the platform's account of a sign-in begins that the person did not allow at the remote server. */
export const notAllowedStart = 'You did not allow it. ';

/** Of a session whose schedule ends it in favour of the next one. */
export const supersededSentence = 'It was time for the next run of its schedule';

export const operatorLeftSentence =
  'The person whom the session runs for is no longer a member of the workspace';

export const agentArchivedSentence = 'Its agent was archived';

export const workspaceClosedSentence = 'The workspace was closed';

/**
 * What an agent is told that asks a person in a session that nobody drives: only an operator sends messages.
 */
export const nobodyToAsk =
  'Nobody drives this session, so nobody would answer. If another session started this one, ask that with message_caller; else decide yourself, or end the session';

/** What an error says, also where something else than an error was thrown. */
export const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
