/** Pure: the one-shot sandbox that fetches a repository, or makes a patch. It has no network of its own. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sessionDirectories } from '../../../contract/session-paths.ts';
import { containerPaths } from '../../workload-plan/workload-plan.ts';
import { cgroupsOf } from '../host/cgroups.ts';
import { sandboxLayout, sessionFiles } from '../layout.ts';
import type { ContainerLaunch, Machine } from '../render-launch.ts';
import {
  caFileInside,
  readOnly,
  renderSandbox,
  type SandboxedContainer,
  type SystemRoot,
} from '../render-sandbox.ts';
import { credentialName, type JobOrder } from './job-stream.ts';

export interface JobMachine extends Pick<Machine, 'programs' | 'limits' | 'cgroups' | 'owner'> {
  root: SystemRoot;
}

/** Not part of a session. */
export const jobContainer: SandboxedContainer = {
  name: 'repository',
  role: 'server',
  program: { type: 'command', command: 'node', args: [] },
  network: 'none',
  uid: 2001,
  view: { directory: sessionDirectories.server('repository'), path: containerPaths.mcp },
};

export const repositoryProgram = '/opt/platform/repository.js';

/** The program that this release's sandboxes run, as a mount. */
export const mountProgram = ({ programs }: Pick<Machine, 'programs'>): string[] =>
  readOnly(join(programs.directory, 'repository.js'), repositoryProgram);

interface JobPlace {
  machine: JobMachine;
  /** Laid out as by `makeSessionDirectory` for the container. */
  directory: string;
  /** The one secret, of a fetch alone. */
  credential: string | null;
  caFile: string | null;
  /** Further mounts. */
  mounts: readonly string[];
  workspaceBytes: number;
}

/** People wait for it, and git packs and unpacks by itself. */
const jobCpuMillis = 2000;

export function renderJob(
  order: JobOrder,
  { machine, directory, credential, caFile, mounts, workspaceBytes }: JobPlace,
): ContainerLaunch {
  const { programs, root, limits, cgroups, owner } = machine;
  const layout = sandboxLayout(programs);
  return {
    name: jobContainer.name,
    argv: [layout.node, repositoryProgram, JSON.stringify(order)],
    env: {
      ...{ PATH: layout.path, HOME: '/workspace', TMPDIR: '/tmp', LANG: 'C.UTF-8' },
      ...(caFile === null ? {} : { SSL_CERT_FILE: caFileInside }),
      ...(credential === null ? {} : { [credentialName]: credential }),
    },
    cwd: sessionFiles(directory).workspace(jobContainer.name),
    sandbox: renderSandbox(jobContainer, {
      ...{ directory, programs, root, caFile, workspaceBytes },
      packages: [...mountProgram(machine), ...mounts],
    }),
    network: 'none',
    limits: {
      processes: limits.server.processes,
      cpuShare: 'whole',
      cpuMillis: Math.max(jobCpuMillis, limits.server.cpuMillis),
      memoryBytes: limits.server.memoryBytes + workspaceBytes,
    },
    cgroups: cgroups === null ? [] : cgroupsOf(cgroups, owner, `repository.${randomUUID()}`),
  };
}
