/** Where a session's directory has what belongs to its repository. */
import { join } from 'node:path';

export function repositoryFiles(directory: string) {
  const own = join(directory, 'repository');
  return {
    /** The fetched commit, which every sandbox sees read-only: no program of the platform reads it. */
    base: join(own, 'base'),
    /** The directory of the socket that takes the agent's files; relative, as the session's host knows it. */
    taker: 'repository/taker',
    takerSocket: 'repository/taker/changes.sock',
    /** What the agent handed over last. */
    changes: join(own, 'changes'),
    /** Whose it is. */
    workspace: join(own, 'workspace'),
    /** How often the patch was begun, and not made. */
    attempts: join(own, 'attempts'),
    fetchSandbox: join(own, 'fetch'),
    patchSandbox: join(own, 'patch'),
    authorities: join(own, 'authorities.pem'),
  };
}
