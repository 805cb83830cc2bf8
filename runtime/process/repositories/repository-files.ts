/** Where a session's directory has what belongs to its repository. */
import { join } from 'node:path';
import { endSocket } from './job-stream.ts';

/** Of the names of attempts at the patch of a running session. */
export const soFarPrefix = 'so-far-';

export function repositoryFiles(directory: string) {
  const own = join(directory, 'repository');
  return {
    own,
    /** The fetched commit, which every sandbox sees read-only: no program of the platform reads it. */
    base: join(own, 'base'),
    /** The directory of the socket that takes the agent's files; relative, as the session's host knows it. */
    taker: 'repository/taker',
    takerSocket: `repository/taker/${endSocket}`,
    /** What the agent handed over at its end. */
    changes: join(own, 'changes'),
    /** Of one attempt at the patch of a running session: another worker may be at another one. */
    soFar(attempt: string) {
      const place = join(own, `${soFarPrefix}${attempt}`);
      return { place, changes: join(place, 'changes'), sandbox: join(place, 'patch') };
    },
    /** Whose it is. */
    workspace: join(own, 'workspace'),
    /** How often the patch was begun, and not made. */
    attempts: join(own, 'attempts'),
    fetchSandbox: join(own, 'fetch'),
    patchSandbox: join(own, 'patch'),
    authorities: join(own, 'authorities.pem'),
  };
}
