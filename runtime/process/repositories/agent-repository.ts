/** Pure: how an agent starts in its repository: a program of ours writes that out, and is its parent. */
import { join } from 'node:path';
import type { Layout } from '../layout.ts';
import type { ChangesLaunch, Machine } from '../render-launch.ts';
import { readOnly } from '../render-sandbox.ts';
import { gitPaths } from './git.ts';
import { type JobOrder, takerInside } from './job-stream.ts';
import { mountProgram, repositoryProgram } from './render-job.ts';
import { repositoryFiles } from './repository-files.ts';

export interface AgentRepository {
  /** The session's. */
  directory: string;
  changesBytes: number;
}

interface InRepository {
  command(program: readonly string[]): string[];
  mounts: string[];
  changes: ChangesLaunch;
}

/** Records of paths beside the files themselves. */
const recordsBytes = 8 * 1024 * 1024;

/** Of all that an agent's sandbox hands over. */
export const maxChangesBytes = (changesBytes: number): number => changesBytes + recordsBytes;

export function inRepository(
  { directory, changesBytes }: AgentRepository,
  { machine, layout }: { machine: Pick<Machine, 'programs'>; layout: Pick<Layout, 'node'> },
): InRepository {
  const files = repositoryFiles(directory);
  return {
    command(program) {
      const order: JobOrder = { type: 'agent', changesBytes, command: [...program] };
      return [layout.node, repositoryProgram, JSON.stringify(order)];
    },
    mounts: [
      ...mountProgram(machine),
      ...readOnly(files.base, gitPaths.base),
      ...readOnly(join(directory, files.taker), takerInside),
    ],
    changes: {
      socket: files.takerSocket,
      file: 'repository/changes',
      maxBytes: maxChangesBytes(changesBytes),
    },
  };
}
