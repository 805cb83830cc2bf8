import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** What git prints. Throws what it says where it fails. */
export async function runGit(root, args) {
  const { stdout } = await execute('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
