/**
 * Pure: the sandbox that loads packages. It has no network and only the sockets of its order; its one secret
 * is the registry's credential.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PackageRequest } from '../../../contract/package-request.ts';
import { sessionDirectories } from '../../../contract/session-paths.ts';
import { containerPaths } from '../../workload-plan/workload-plan.ts';
import { cgroupsOf } from '../host/cgroups.ts';
import { sandboxLayout, sessionFiles } from '../layout.ts';
import type { ContainerLaunch, Machine } from '../render-launch.ts';
import {
  caFileInside,
  inMemory,
  readOnly,
  renderSandbox,
  type SandboxedContainer,
  type SystemRoot,
} from '../render-sandbox.ts';
import { uvInside } from './inside/install.ts';
import { type FillOrder, managerVariablesName } from './inside/order.ts';
import { type Registry, registryVariables } from './registries.ts';
import { packagesInside } from './tree-stream.ts';

export interface FillMachine extends Pick<Machine, 'programs' | 'limits' | 'cgroups' | 'owner'> {
  root: SystemRoot;
  /** The program on this machine; null where there is none. */
  uv: string | null;
}

/** Not part of a session. */
export const fillContainer: SandboxedContainer = {
  name: 'packages',
  role: 'server',
  program: { type: 'command', command: 'node', args: [] },
  network: 'none',
  uid: 2000,
  view: { directory: sessionDirectories.server('packages'), path: containerPaths.mcp },
};

const programInside = '/opt/platform/fill-packages.js';

interface FillPlace {
  machine: FillMachine;
  directory: string;
  maxBytes: number;
  registry: Registry;
  /** PEM of all authorities to trust; null: those that the package managers know. */
  caFile: string | null;
}

/** The package managers unpack with several threads. */
const loadCpuMillis = 4000;

/** `directory` is laid out as by `makeSessionDirectory` for the container. */
export function renderFill(
  { manager, packages, program, python }: PackageRequest,
  { machine, directory, maxBytes, registry, caFile }: FillPlace,
): ContainerLaunch {
  const { programs, root, limits, cgroups, owner, uv } = machine;
  const layout = sandboxLayout(programs);
  const order: FillOrder = { manager, packages, program, python };
  return {
    name: fillContainer.name,
    argv: [layout.node, programInside, JSON.stringify(order)],
    env: {
      ...{ PATH: layout.path, HOME: '/workspace', TMPDIR: '/tmp', LANG: 'C.UTF-8' },
      ...(caFile === null ? {} : { NODE_EXTRA_CA_CERTS: caFileInside, SSL_CERT_FILE: caFileInside }),
      [managerVariablesName]: JSON.stringify(registryVariables(manager, registry)),
    },
    cwd: sessionFiles(directory).workspace(fillContainer.name),
    sandbox: renderSandbox(fillContainer, {
      ...{ directory, programs, root, caFile },
      // Holds the downloads as well as what is made of them.
      workspaceBytes: maxBytes,
      packages: [
        ...inMemory(packagesInside, maxBytes),
        ...readOnly(join(programs.directory, 'fill-packages.js'), programInside),
        ...(uv === null ? [] : readOnly(uv, uvInside)),
      ],
    }),
    network: 'none',
    limits: {
      processes: limits.server.processes,
      // People wait for it, a few run at once, and it runs no code of a package.
      cpuShare: 'whole',
      cpuMillis: Math.max(loadCpuMillis, limits.server.cpuMillis),
      memoryBytes: limits.server.memoryBytes + 2 * maxBytes,
    },
    cgroups: cgroups === null ? [] : cgroupsOf(cgroups, owner, `packages.${randomUUID()}`),
  };
}
