/** Pure: the plan of a session's workload in containers, or a sentence about what containers cannot run. */
import { agentPaths } from '../../contract/agent-paths.ts';
import { availabilityOf, noAcpImage, noClaudeImage } from '../../contract/available-runs.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';
import { modelCommand } from '../model-program.ts';
import { agentConfigOf, renderBoot, reportSocketIn, type UnkeyedBoot } from '../render-boot.ts';
import { sidecarNodeOptions } from '../sidecar-program.ts';
import { type PlatformVariables, packageVariables, plannedSecrets, planVariables } from '../variables.ts';
import { UnsupportedWorkloadError } from '../workload.ts';
import { controlPort, planWorkload } from '../workload-plan/plan-workload.ts';
import {
  type ContainerView,
  containerPaths,
  type PlannedContainer,
  type PlannedProgram,
  type WorkloadPlan,
} from '../workload-plan/workload-plan.ts';
import type { ContainerSettings } from './container-settings.ts';
import {
  type ContainerImage,
  type ContainerScratch,
  type ContainerSpec,
  type ContainerWorkload,
  containerUsers,
  relayDirectory,
} from './container-workload.ts';

/** What containers can run; what an operator has to name an image for is refused where it is missing. */
const available = {
  own: availabilityOf('container', []),
  shared: availabilityOf('kubernetes', []),
} as const;

/** Time for a session's orderly shutdown after its limit. */
const lifetimeMarginSeconds = 900;

/** Throws UnsupportedWorkloadError. */
export function renderContainerWorkload(
  configuration: FrozenConfiguration,
  settings: ContainerSettings,
): ContainerWorkload {
  const plan = planWorkload(configuration, {
    ...{
      available: available[settings.networks],
      privateDestinations: 'direct',
      firstUid: containerUsers.agent,
    },
    ...settings,
  });
  const [agent, ...others] = plan.containers;
  return {
    sessionId: plan.sessionId,
    workspaceId: plan.workspaceId,
    ownerSessionId: plan.service?.sessionId ?? null,
    boot: bootOf(plan, settings),
    containers: [
      sidecarContainer(settings),
      // The agent last: a node that starts one container after the other, as each image arrives, has its
      // servers ready for its first call.
      ...[...others, ...(agent === undefined ? [] : [agent])].map((planned) =>
        renderContainer(planned, plan, settings),
      ),
    ],
    directories: plan.directories,
    network: plan.network,
    egressAllow: plan.egressAllow,
    lifetimeSeconds: (plan.totalSeconds ?? settings.totalSeconds) + lifetimeMarginSeconds,
  };
}

function bootOf(plan: WorkloadPlan, settings: ContainerSettings): UnkeyedBoot {
  const { session, relay, mcp: mcpDirectory } = containerPaths;
  return renderBoot(plan, settings, {
    session_directory: session,
    agent_config: plan.service === null ? agentConfigOf(plan, { relay, mcpDirectory }) : null,
    control_host: '0.0.0.0',
    control_port: controlPort,
  });
}

/** Its image has the relay; it may write only to the volume that it fills for the others. */
function sidecarContainer({ images, sizes }: ContainerSettings): ContainerSpec {
  const program = [
    'node',
    ...sidecarNodeOptions,
    '/opt/platform/sidecar.js',
    '--boot-file',
    containerPaths.bootFile,
  ];
  return {
    name: 'sidecar',
    role: 'sidecar',
    subject: null,
    image: { reference: images.sidecar, credentialsOf: null },
    argv: [containerPaths.relay, 'supervise', '--', ...program],
    env: [],
    uid: containerUsers.sidecar,
    network: 'none',
    privateOrigin: null,
    views: [],
    scratch: [],
    workingDirectory: null,
    size: sizes.sidecar,
  };
}

function renderContainer(
  planned: PlannedContainer,
  plan: WorkloadPlan,
  settings: ContainerSettings,
): ContainerSpec {
  const { name, role, subject, program, env, uid, network, privateOrigin, view, report } = planned;
  const { image, command } = inImage(program, settings);
  const variables = planVariables({ role, subject }, env, platformVariables(planned, plan));
  const relayView = { directory: relayDirectory, path: containerPaths.relayDirectory };
  return {
    name,
    role,
    subject,
    image,
    argv: [
      containerPaths.relay,
      ...relayArguments(planned, { plan, settings, secrets: plannedSecrets(variables) }),
      '--',
      ...command,
    ],
    env: variables,
    uid,
    network,
    privateOrigin,
    views: [relayView, view, ...(report === null || isSame(report, view) ? [] : [report])],
    scratch: scratchOf(program, settings),
    // An image of a configuration has its own.
    workingDirectory: program.type === 'image' ? null : containerPaths.workspace,
    size: settings.sizes[planned.size],
  };
}

const isSame = (one: ContainerView, other: ContainerView) => one.directory === other.directory;

/**
 * The bridge and the model program are in the sidecar's image, which each session's node has already, and
 * which has nothing but Node beside the platform's own programs.
 */
function inImage(
  program: PlannedProgram,
  { images: { sidecar, scripted, runner, claude }, acpImages }: ContainerSettings,
): { image: ContainerImage; command: string[] } {
  const own = (reference: string, command: string[]) => ({
    image: { reference, credentialsOf: null },
    command,
  });
  switch (program.type) {
    case 'scripted':
      return own(scripted, ['node', '/opt/platform/scripted-agent.js']);
    case 'claude':
      if (claude === null) {
        throw new UnsupportedWorkloadError(`the agent: ${noClaudeImage}`);
      }
      return own(claude, ['node', '/opt/platform/claude-agent.js']);
    case 'acp': {
      const reference = acpImages[program.preset];
      if (reference === undefined) {
        throw new UnsupportedWorkloadError(`the agent: ${noAcpImage(program.preset)}`);
      }
      return own(reference, ['node', '/opt/platform/acp-agent.js', program.preset, ...program.command]);
    }
    case 'command':
      return own(runner, [program.command, ...program.args]);
    case 'remote':
      return own(sidecar, ['node', '/opt/platform/remote-bridge.js', JSON.stringify(program.bridge)]);
    case 'model':
      return own(sidecar, [
        ...modelCommand('node', '/opt/platform/model-program.js'),
        JSON.stringify(program.config),
      ]);
    case 'image': {
      const { reference, credentialsOf, command } = program;
      return { image: { reference, credentialsOf }, command };
    }
  }
}

/** What process 1 does before and beside the program. */
function relayArguments(
  planned: PlannedContainer,
  { plan, settings, secrets }: { plan: WorkloadPlan; settings: ContainerSettings; secrets: string[] },
): string[] {
  const { relay, report } = planned;
  const narrowed = narrowing(planned, settings);
  const reporting = report === null ? [] : reportingTo(report, secrets);
  switch (relay.type) {
    case 'agent':
      return ['run', ...narrowed, ...reporting, ...waiting(plan), ...relay.model, ...relay.siblings];
    case 'service': {
      const { serviceSocket } = agentPaths;
      const gateway = ['--gateway', serviceSocket, '--port', String(relay.port)];
      return ['run', ...narrowed, ...reporting, '--wait', serviceSocket, ...gateway];
    }
    case 'server':
      return [...narrowed, ...reporting, `UNIX-CONNECT:${planned.view.path}/${relay.socket}`];
    case 'sibling':
      // One that ends at once would disappear before it could report why.
      return [
        'run',
        ...narrowed,
        ...reporting,
        ...relay.options,
        '--wait',
        reportSocketIn(planned.view.path),
      ];
    case 'model':
      return ['run', ...narrowed];
  }
}

/**
 * Caps file size at the largest volume: some files of a container, like its termination log, are
 * covered by no other limit.
 */
function narrowing(
  { network, relay }: PlannedContainer,
  { networks, workspaceBytes, temporaryBytes }: ContainerSettings,
): string[] {
  const narrowed = networks === 'shared' ? network === 'none' : network === 'internet';
  // Without a network a service, or a sibling with a port, still takes the connections of its relay.
  const listens = relay.type === 'service' || (relay.type === 'sibling' && relay.listens);
  const none = listens ? 'listen' : 'none';
  return [
    ...(narrowed ? ['--network', networks === 'shared' ? none : 'restricted'] : []),
    '--file-size',
    String(Math.max(workspaceBytes, temporaryBytes)),
  ];
}

/**
 * Where process 1 reports on its command, and which values it redacts: their names, since the
 * values are in its environment.
 */
const reportingTo = ({ path }: ContainerView, secrets: readonly string[]): string[] => [
  ...['--report', reportSocketIn(path)],
  ...secrets.flatMap((name) => ['--secret', name]),
];

/** Images of siblings may still be on their way; whether one gets ready in time is the sidecar's to say. */
const waitMarginSeconds = 1200;

/** For the sidecar, which is there when the siblings are ready. */
function waiting({ start: { siblingSeconds } }: WorkloadPlan): string[] {
  const limit = ['--wait-limit-ms', String((siblingSeconds + waitMarginSeconds) * 1000)];
  return ['--wait', agentPaths.sidecarSocket, ...(siblingSeconds > 0 ? limit : [])];
}

/** Volumes that an image declares become scratch space too, of the size of `/tmp`. */
function scratchOf(
  program: PlannedProgram,
  { workspaceBytes, temporaryBytes }: ContainerSettings,
): ContainerScratch[] {
  const volumes = program.type === 'image' ? program.volumes : [];
  return [
    { name: 'workspace', path: containerPaths.workspace, sizeBytes: workspaceBytes },
    { name: 'tmp', path: containerPaths.temporary, sizeBytes: temporaryBytes },
    ...volumes.map((path, index) => ({ name: `volume-${index}`, path, sizeBytes: temporaryBytes })),
  ];
}

/** An image says itself where its packages come from. */
const sourcesOfImage = { npmRegistryUrl: null, pypiIndexUrl: null, caFile: null };

function platformVariables(
  { network }: PlannedContainer,
  { sessionId, service, agentVariables }: WorkloadPlan,
): PlatformVariables {
  const { config, sidecarSocket } = agentPaths;
  return {
    sessionId,
    paths: { workspace: containerPaths.workspace, config, sidecarSocket },
    searchPath: null,
    packages: packageVariables(network, sourcesOfImage),
    service,
    ...agentVariables,
  };
}
