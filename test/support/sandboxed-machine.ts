import type { Machine } from '../../runtime/process/render-launch.ts';
import { processLimits, publicPackages } from './process-limits.ts';
import { roomySidecarLimits } from './sidecar-limits.ts';

/** Where everything is there that sandboxes need. */
export const sandboxedMachine: Machine = {
  programs: {
    nodePrefix: '/usr',
    directory: '/app/dist',
    relay: '/app/dist/relay',
    runner: '/app/runner',
    claude: null,
  },
  root: { links: {}, directories: [], hidden: [], hiddenFiles: [] },
  internet: true,
  limits: processLimits,
  packages: publicPackages,
  cgroups: null,
  owner: 'owner',
  apiUrl: 'http://127.0.0.1:8080',
  auditSync: 'within-100-ms',
  sidecarLimits: roomySidecarLimits,
};
