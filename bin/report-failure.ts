/** How a process says why it ends. */
import { pino } from 'pino';
import { ConfigurationError } from '../config/parse.ts';
import { UnreadableSecretError } from '../store/secrets/envelope.ts';
import { UnusableDatabaseError } from '../store/usable-server.ts';

/** Errors written for operators: their message is complete. */
const foreseen = [ConfigurationError, UnreadableSecretError, UnusableDatabaseError];

/** Whether the message of this reason says all that an operator needs. */
export const isForeseen = (reason: unknown): reason is Error =>
  foreseen.some((kind) => reason instanceof kind);

/**
 * Says on standard output, as the final line of a process that logs JSON lines, why the process of this name
 * ends; the caller ends it. An unexpected error is logged with its stack as well, and with no other field,
 * which may hold anything.
 */
export function reportFailure(name: string, reason: unknown): void {
  const log = pino({ level: 'fatal', base: { process: name } }, pino.destination({ dest: 1, sync: true }));
  const { message, stack } = reason instanceof Error ? reason : { message: String(reason), stack: undefined };
  log.fatal(isForeseen(reason) || stack === undefined ? {} : { stack }, message);
}
