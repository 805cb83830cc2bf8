/** The processes of a one-node cluster: how each is started, and found again without a record. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { certificateFile, containerdSocket, keyFile, kubeconfigFile, type NodePlace } from './node-place.ts';

export const parts = [
  'etcd',
  'docker-registry',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'containerd',
  'kubelet',
] as const;
export type Part = (typeof parts)[number];

/** Starts a part, detached: it outlives the process that started it. `programs` holds those of Kubernetes. */
export function startPart(place: NodePlace, part: Part, programs: string): void {
  const program = part.startsWith('kube') ? join(programs, part) : part;
  const log = openSync(join(place.directory, `log/${part}.log`), 'a', 0o600);
  const child = spawn(program, partArguments[part](place), {
    cwd: place.directory,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
}

/** `kill -9` of a part, or of what containerd started for its containers; waits until it is gone. */
export async function killPart(place: NodePlace, part: Part | 'containerd-shim-runc-v2'): Promise<void> {
  for (;;) {
    const pids = pidsOf(place.directory, part);
    if (pids.length === 0) {
      return;
    }
    for (const pid of pids) {
      kill(pid);
    }
    await sleep(20);
  }
}

/**
 * `kill -9` of everything that runs in the cluster's directory, as what a part started does: a network
 * plug-in that outlives containerd would make the bridge again.
 */
export async function killThoseIn({ directory }: NodePlace): Promise<void> {
  for (;;) {
    const pids = runningPids().filter((pid) => isBelow(workingDirectoryOf(pid), directory));
    if (pids.length === 0) {
      return;
    }
    for (const pid of pids) {
      kill(pid);
    }
    await sleep(20);
  }
}

const isBelow = (path: string, directory: string) => path === directory || path.startsWith(`${directory}/`);

/** Empty when it has ended. */
function workingDirectoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended since.
  }
}

export const isPartRunning = (place: NodePlace, part: Part) => pidsOf(place.directory, part).length > 0;

/** The running processes of a program that were started with a path below the directory. */
function pidsOf(directory: string, program: string): number[] {
  return runningPids().filter((pid) => {
    const [command, ...rest] = commandLineOf(pid);
    return (
      command !== undefined &&
      basename(command) === program &&
      rest.some((argument) => argument.includes(`${directory}/`))
    );
  });
}

const runningPids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Empty when it has ended or is a zombie. */
function commandLineOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

const partArguments: Record<Part, (place: NodePlace) => string[]> = {
  etcd: (place) => {
    const url = `https://127.0.0.1:${place.etcdPort}`;
    const peerUrl = `https://127.0.0.1:${place.etcdPeerPort}`;
    const secured = (prefix: string) => [
      `--${prefix}cert-file=${certificateFile(place)}`,
      `--${prefix}key-file=${keyFile(place)}`,
      `--${prefix}trusted-ca-file=${certificateFile(place)}`,
      `--${prefix}client-cert-auth`,
    ];
    return [
      `--data-dir=${join(place.directory, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      ...secured(''),
      ...secured('peer-'),
    ];
  },
  'docker-registry': (place) => ['serve', join(place.directory, 'registry.json')],
  'kube-apiserver': (place) => [
    `--etcd-servers=https://127.0.0.1:${place.etcdPort}`,
    `--etcd-cafile=${certificateFile(place)}`,
    `--etcd-certfile=${certificateFile(place)}`,
    `--etcd-keyfile=${keyFile(place)}`,
    `--bind-address=127.0.0.1`,
    `--advertise-address=${place.gateway}`,
    `--secure-port=${place.apiserverPort}`,
    `--tls-cert-file=${certificateFile(place)}`,
    `--tls-private-key-file=${keyFile(place)}`,
    // Nothing routes to the service network, so nobody needs to find the API server in it.
    '--service-cluster-ip-range=10.96.0.0/24',
    '--endpoint-reconciler-type=none',
    `--service-account-key-file=${join(place.directory, 'service-account.pub')}`,
    `--service-account-signing-key-file=${join(place.directory, 'service-account.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--token-auth-file=${join(place.directory, 'tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-certificate-authority=${certificateFile(place)}`,
    `--kubelet-client-certificate=${certificateFile(place)}`,
    `--kubelet-client-key=${keyFile(place)}`,
  ],
  'kube-controller-manager': (place) => [
    `--kubeconfig=${kubeconfigFile(place)}`,
    `--service-account-private-key-file=${join(place.directory, 'service-account.key')}`,
    // What Pods with a token of their own check the API server against.
    `--root-ca-file=${certificateFile(place)}`,
    '--leader-elect=false',
    '--secure-port=0',
  ],
  'kube-scheduler': (place) => [
    `--kubeconfig=${kubeconfigFile(place)}`,
    '--leader-elect=false',
    '--secure-port=0',
  ],
  containerd: (place) => ['--config', join(place.directory, 'containerd.toml')],
  kubelet: (place) => [
    `--config=${join(place.directory, 'kubelet.json')}`,
    `--kubeconfig=${kubeconfigFile(place)}`,
    `--root-dir=${join(place.directory, 'kubelet')}`,
    '--hostname-override=node',
    `--node-ip=${place.gateway}`,
  ],
};

/** What a client of this cluster's containerd is started with. */
export const ctrArguments = (place: NodePlace) => [
  '--address',
  containerdSocket(place),
  '--namespace',
  'k8s.io',
];
