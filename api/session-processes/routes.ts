import * as z from 'zod';
import { readProcessOutput } from '../../commands/session-processes/processes.ts';
import { processKind, processOutput, sessionProcess } from '../../contract/session-process.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import { listProcesses } from '../../store/session-processes/processes.ts';
import { notFound } from '../errors.ts';
import { admins, sessionReaders } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config'>;

const path = '/sessions/{session_id}/processes';

/** The state of a session's processes, for everyone who may read it; their output, for admins. */
export function sessionProcessRoutes(dependencies: Dependencies): AnyRoute[] {
  return [listRoute(dependencies), outputRoute(dependencies)];
}

function listRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path,
    summary:
      'MCP servers, siblings and agent of a session: state, starts, how they ended; empty before the freeze',
    scope: 'session',
    access: sessionReaders,
    response: z.strictObject({ processes: z.array(sessionProcess) }),
    async handler(visit) {
      return { processes: await listProcesses(db, visit.session.id) };
    },
  });
}

function outputRoute({ db, config }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/{kind}/{name}/output`,
    summary:
      'The end of what a process wrote to stderr, its own claim; for admins, and each reading is audited',
    scope: 'session',
    access: admins('output.read'),
    params: z.object({ kind: processKind, name: z.string().max(64) }),
    response: z.strictObject({ output: processOutput }),
    async handler({ session, user, params: { kind, name } }) {
      const reading = { session, kind, name, userId: user.id };
      const output = await readProcessOutput(db, config.MASTER_KEYS, reading).catch(whenSealed);
      if (output === null) {
        throw notFound('The output');
      }
      return { output };
    },
  });
}

/** Its key has been retired: the output cannot be read. */
function whenSealed(error: unknown): null {
  if (error instanceof UnreadableSecretError) {
    return null;
  }
  throw error;
}
