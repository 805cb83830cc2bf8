/** Where a session's directory has what belongs to its repository. */
import { join } from 'node:path';
import { endSocket } from './job-stream.ts';

export function repositoryFiles(directory: string) {
  const own = join(directory, 'repository');
  return {
    /** The fetched commit, which every sandbox sees read-only: no program of the platform reads it. */
    base: join(own, 'base'),
    /** The directory of the socket that takes the agent's files; relative, as the session's host knows it. */
    taker: 'repository/taker',
    takerSocket: `repository/taker/${endSocket}`,
    /** What the agent handed over at its end. */
    changes: join(own, 'changes'),
    /** What it handed over while it was at work. */
    changesSoFar: join(own, 'changes-so-far'),
    /** Whose it is. */
    workspace: join(own, 'workspace'),
    /** How often the patch was begun, and not made. */
    attempts: join(own, 'attempts'),
    fetchSandbox: join(own, 'fetch'),
    patchSandbox: join(own, 'patch'),
    patchSandboxSoFar: join(own, 'patch-so-far'),
    authorities: join(own, 'authorities.pem'),
  };
}
