/** Pure: the container of the program that asks a language model for the agent (docs/decisions/0056-model-access.md). */
import type { FrozenModelAccess } from '../../contract/session.ts';
import { modelContainerName, modelEnv, refuseModelPort } from '../model-program.ts';
import { planVariables } from '../variables.ts';
import { narrowing, platformVariables, type Rendering, relayView, scratchOf } from './container-parts.ts';
import { type ContainerSpec, containerPaths, volumeDirectories } from './container-workload.ts';
import { modelProgram } from './programs.ts';

/** It is started like a sibling, and sees its own sockets alone. Throws UnsupportedWorkloadError. */
export function modelContainer(access: FrozenModelAccess, uid: number, settings: Rendering): ContainerSpec {
  if (settings.networks === 'own') {
    refuseModelPort(settings.siblings);
  }
  const program = modelProgram(access, settings);
  const recipient = { role: 'model', subject: null } as const;
  return {
    name: modelContainerName,
    ...recipient,
    image: program.image,
    argv: [containerPaths.relay, 'run', ...narrowing('internet', settings), '--', ...program.command],
    env: planVariables(recipient, modelEnv(access), platformVariables('internet', settings)),
    uid,
    network: 'internet',
    privateOrigin: program.privateOrigin,
    views: [relayView, { directory: volumeDirectories.model, path: containerPaths.model }],
    scratch: scratchOf(program, settings),
    workingDirectory: program.workingDirectory,
    size: settings.sizes.server,
  };
}
