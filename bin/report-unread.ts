/** How a process says, before it judges its configuration, which variables it was given for nothing. */
import { pino } from 'pino';
import { unreadVariables } from '../config/unread-variables.ts';

/**
 * One warning for each, on standard output like all that a program of this name logs.
 * Values are never logged.
 */
export function reportUnread(
  program: string,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const log = pino({ level: 'warn', base: { process: program } }, pino.destination({ dest: 1, sync: true }));
  for (const { name, fault } of unreadVariables(environment)) {
    log.warn({ variable: name }, `${name} ${fault}`);
  }
}
