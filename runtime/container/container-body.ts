/** Pure: a create request with everything that confines a container. */
import { type ContainerSpec, containerUsers } from '../container-workload/container-workload.ts';
import type { ContainerBody } from './container-plan.ts';
import { labelKeys, type SessionOnEngine, sessionLabels } from './names.ts';

const pidsLimit = 512;

export interface BodyOptions {
  network: Pick<ContainerBody['HostConfig'], 'NetworkMode' | 'Dns' | 'DnsOptions'>;
  binds: string[];
  oomScoreAdj: number;
  stopSeconds: number;
}

export function containerBody(
  spec: Pick<ContainerSpec, 'name' | 'image' | 'argv' | 'uid' | 'workingDirectory' | 'size'>,
  session: SessionOnEngine,
  { network, binds, oomScoreAdj, stopSeconds: StopTimeout }: BodyOptions,
): ContainerBody {
  const { memoryBytes, cpuMillis } = spec.size;
  return {
    Image: spec.image.reference,
    Entrypoint: spec.argv,
    Cmd: [],
    User: `${spec.uid}:${spec.uid}`,
    ...(spec.workingDirectory === null ? {} : { WorkingDir: spec.workingDirectory }),
    ...(network.NetworkMode.startsWith('container:') ? {} : { Hostname: spec.name.slice(0, 63) }),
    Labels: { ...sessionLabels(session), [labelKeys.container]: spec.name },
    StopSignal: 'SIGTERM',
    StopTimeout,
    Healthcheck: { Test: ['NONE'] },
    Tty: false,
    OpenStdin: false,
    HostConfig: {
      ...network,
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      CapAdd: [],
      SecurityOpt: ['no-new-privileges'],
      GroupAdd: [String(containerUsers.group)],
      IpcMode: 'private',
      PublishAllPorts: false,
      Memory: memoryBytes,
      // Equal to Memory: no swap.
      MemorySwap: memoryBytes,
      NanoCpus: cpuMillis * 1_000_000,
      PidsLimit: pidsLimit,
      OomScoreAdj: oomScoreAdj,
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m', 'max-file': '2' } },
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      Init: false,
      Binds: binds,
    },
  };
}
