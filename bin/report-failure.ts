/** The last word of a process that logs JSON lines: one more such line, on standard output, whatever the reason. */
import { pino } from 'pino';
import { ConfigurationError } from '../config/parse.ts';
import { UnusableDatabaseError } from '../store/database.ts';
import { UnreadableSecretError } from '../store/secrets/envelope.ts';

/** Reasons that are made for operators to read: their message says all of it. */
const foreseen = [ConfigurationError, UnreadableSecretError, UnusableDatabaseError];

/**
 * Says why the process of this name ends; the caller ends it. What was not foreseen has its stack as well, and no other field of the
 * error, which may hold anything.
 */
export function reportFailure(name: string, reason: unknown): void {
  const log = pino({ level: 'fatal', base: { process: name } }, pino.destination({ dest: 1, sync: true }));
  const { message, stack } = reason instanceof Error ? reason : { message: String(reason), stack: undefined };
  const isForeseen = foreseen.some((kind) => reason instanceof kind);
  log.fatal(isForeseen || stack === undefined ? {} : { stack }, message);
}
