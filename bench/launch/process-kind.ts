import { basename } from 'node:path';

const helpers = new Set(['bwrap', 'slirp4netns', 'unshare', 'nice', 'sh']);

/** `own`: the agent's and the servers' own programs, which run without the platform as well. */
export type ProcessKind = 'sidecar' | 'session host' | 'relays' | 'sandbox helpers' | 'own';

/**
 * The platform's own processes of a session, by their command lines. A relay that an agent starts as its
 * configuration says is one of them.
 */
export function kindOf(argv: readonly string[]): ProcessKind {
  const [program = ''] = argv;
  const runs = (file: string) => argv.some((argument) => basename(argument) === file);
  if (runs('session-host.js')) {
    return 'session host';
  }
  if (runs('sidecar.js')) {
    return 'sidecar';
  }
  if (helpers.has(basename(program))) {
    return 'sandbox helpers';
  }
  return basename(program) === 'relay' || runs('relay.js') ? 'relays' : 'own';
}
