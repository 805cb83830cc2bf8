import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionFiles } from '../../../runtime/process/layout.ts';
import { jobSockets } from '../../../runtime/process/repositories/job-stream.ts';
import { jobContainer } from '../../../runtime/process/repositories/render-job.ts';
import { repositoryFiles } from '../../../runtime/process/repositories/repository-files.ts';

/** What a worker leaves of a session that was killed while it made the patch. `directory`: the session's. */
export function leavePatchSandbox(directory: string): void {
  const sockets = sessionFiles(repositoryFiles(directory).patchSandbox).serverView(jobContainer.name);
  mkdirSync(sockets, { recursive: true });
  writeFileSync(join(sockets, jobSockets.result), '');
}
