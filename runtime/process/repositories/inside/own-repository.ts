/** A repository that has the fetched commit and nothing else: no remote, no hook, no setting of its own. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, gitPaths, gitVariables, ownAttributes } from '../git.ts';
import { commitId } from '../job-stream.ts';
import { mustRunGit } from './run-git.ts';

/**
 * Makes it, with a working tree where one is given; returns the commit, whose objects stay where they are.
 */
export async function makeRepository(directory: string, tree: string | null = null): Promise<string> {
  const commit = commitId.parse(readFileSync(join(gitPaths.base, 'commit'), 'utf8'));
  const init = [
    'init',
    '--quiet',
    '--template=',
    ...(tree === null ? ['--bare'] : []),
    '--initial-branch=work',
  ];
  await mustRunGit(git(init, { directory, tree }), { env: gitVariables });
  writeFileSync(join(directory, 'objects/info/alternates'), `${gitPaths.base}/objects\n`);
  mkdirSync(join(directory, 'info'), { recursive: true });
  writeFileSync(join(directory, 'info/attributes'), ownAttributes);
  writeFileSync(join(directory, 'shallow'), `${commit}\n`);
  return commit;
}
