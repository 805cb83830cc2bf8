/** Pure: the plan of a session's workload on this runtime, or a sentence about what it cannot run. */
import type { AcpPreset } from '../../contract/acp-preset.ts';
import { availabilityOf } from '../../contract/available-runs.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { ModelSettings } from '../model-program.ts';
import { notRendered } from '../refuse-unavailable.ts';
import { UnsupportedWorkloadError } from '../workload.ts';
import { planWorkload } from '../workload-plan/plan-workload.ts';
import type { WorkloadPlan } from '../workload-plan/workload-plan.ts';

export interface RenderRules extends ModelSettings {
  /** Whether containers are isolated from the machine and from each other. */
  sandbox: boolean;
  /** The server commands that may run without a sandbox. Null allows every command. */
  seededCommands: ReadonlySet<string> | null;
  /** Whether what the agent `claude` loads is installed. */
  claude: boolean;
  /** Which agents of others are; absent: none. */
  acpPresets?: readonly AcpPreset[];
  /** Whether repositories can be fetched; absent: no. */
  repositories?: boolean;
  /** Whether containers that request the internet get it. */
  internet: boolean;
}

const firstUid = 2000;

/** Throws UnsupportedWorkloadError. */
export function renderWorkload(configuration: FrozenConfiguration, rules: RenderRules): WorkloadPlan {
  const plan = planWorkload(configuration, {
    ...{ available: available(rules), networks: 'own', privateDestinations: 'forwarded', firstUid },
    ...rules,
  });
  if (plan.service !== null && !rules.sandbox) {
    throw new UnsupportedWorkloadError(
      'services need a sandbox, which gives each a network of its own to listen on; an operator has to install bubblewrap',
    );
  }
  for (const { name, role, program, privateOrigin } of plan.containers) {
    if (program.type === 'image') {
      throw notRendered(`the container "${name}"`);
    }
    if (role === 'model' && privateOrigin === null && !rules.internet) {
      throw new UnsupportedWorkloadError(
        `the agent's model access needs the internet, and the machine that runs sessions has no safe way to it; an operator has to install slirp4netns`,
      );
    }
  }
  return plan;
}

/** Package managers that are missing here are told when packages are loaded. */
const available = ({ seededCommands, sandbox, internet, claude, acpPresets = [], ...rules }: RenderRules) => {
  const commands = seededCommands === null ? null : [...seededCommands];
  return availabilityOf('process', [
    {
      ...{ runtime: 'process', sandbox, internet, commands, missing_commands: [], limits: [], claude },
      acp_presets: [...acpPresets],
      repositories: rules.repositories ?? false,
    },
  ]);
};
