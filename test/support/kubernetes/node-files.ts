/** The files that the parts of a one-node cluster read. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateFile, containerdSocket, keyFile, kubeconfigFile, type NodePlace } from './node-place.ts';

/** Writes all of them. JSON stands for YAML where it can. */
export function writeNodeFiles(place: NodePlace): void {
  for (const name of ['log', 'cni', 'kubelet', 'registries', 'registry']) {
    mkdirSync(join(place.directory, name), { recursive: true });
  }
  const write = (name: string, content: string | object) =>
    writeFileSync(
      join(place.directory, name),
      typeof content === 'string' ? content : JSON.stringify(content),
      { mode: 0o600 },
    );
  writeCertificate(place);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  write('service-account.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  write('service-account.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString());
  const token = randomBytes(16).toString('hex');
  write('tokens.csv', `${token},admin,admin,system:masters\n`);
  writeFileSync(kubeconfigFile(place), JSON.stringify(kubeconfig(place, token)), { mode: 0o600 });
  write('containerd.toml', containerdConfiguration(place));
  write('cni/10-bridge.conflist', podNetwork(place));
  write('kubelet.json', kubeletConfiguration(place));
  write('registry.json', registryConfiguration(place));
  trustRegistry(place, `127.0.0.1:${place.registryPort}`);
}

/**
 * One key and its own certificate for every part, as server, as client and as the authority that the
 * others check against: anybody who cannot read this directory can use neither etcd, nor the API
 * server, nor the kubelet.
 */
function writeCertificate(place: NodePlace): void {
  const extensions = [
    `subjectAltName=IP:127.0.0.1,IP:${place.gateway},DNS:localhost`,
    'extendedKeyUsage=serverAuth,clientAuth',
  ];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '7',
      ],
      ...['-subj', '/CN=node', '-keyout', keyFile(place), '-out', certificateFile(place)],
      ...extensions.flatMap((extension) => ['-addext', extension]),
    ],
    { stdio: 'pipe' },
  );
}

function kubeconfig(place: NodePlace, token: string): object {
  const authority = readFileSync(certificateFile(place)).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: {
          server: `https://127.0.0.1:${place.apiserverPort}`,
          'certificate-authority-data': authority,
        },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  };
}

function containerdConfiguration(place: NodePlace): string {
  const { directory, imageDirectory } = place;
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${imageDirectory}"
state = "${join(directory, 'containerd')}"
[grpc]
  address = "${containerdSocket(place)}"
[${cri}]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  [${cri}.cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${join(directory, 'cni')}"
  [${cri}.registry]
    config_path = "${join(directory, 'registries')}"
  [${cri}.containerd]
    snapshotter = "overlayfs"
  [${cri}.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [${cri}.containerd.runtimes.runc.options]
    Root = "${join(directory, 'runc')}"
`;
}

export const pauseImage = 'localhost/pause:1';

function podNetwork(place: NodePlace): object {
  return {
    cniVersion: '0.4.0',
    name: place.bridge,
    plugins: [
      {
        type: 'bridge',
        bridge: place.bridge,
        isGateway: true,
        ipam: {
          type: 'host-local',
          dataDir: join(place.directory, 'addresses'),
          ranges: [[{ subnet: place.subnet, gateway: place.gateway }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  };
}

function kubeletConfiguration(place: NodePlace): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    // The holder of the one certificate may do everything, and nobody else anything.
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: false },
      x509: { clientCAFile: certificateFile(place) },
    },
    authorization: { mode: 'AlwaysAllow' },
    address: place.gateway,
    port: place.kubeletPort,
    healthzPort: 0,
    tlsCertFile: certificateFile(place),
    tlsPrivateKeyFile: keyFile(place),
    // A node inside whatever cgroup the tests run in, on cgroup v1 too.
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    // It crashes the kubelet where Pods have no cgroup of their own.
    featureGates: { InPlacePodVerticalScaling: false },
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    makeIPTablesUtilChains: false,
    maxOpenFiles: Math.min(1_000_000, openFilesLimit()),
    containerRuntimeEndpoint: `unix://${containerdSocket(place)}`,
    resolvConf: '/etc/resolv.conf',
    podLogsDir: join(place.directory, 'pod-logs'),
    evictionHard: { 'memory.available': '50Mi' },
    // A test sees an image's change at once and a Pod's end soon.
    syncFrequency: '10s',
    nodeStatusUpdateFrequency: '2s',
  };
}

/** The kubelet sets its own limit and fails when it asks for more than it may have. */
function openFilesLimit(): number {
  const [, hard] = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

function registryConfiguration(place: NodePlace): object {
  return {
    version: 0.1,
    log: { level: 'warn' },
    storage: { filesystem: { rootdirectory: join(place.directory, 'registry') }, delete: { enabled: true } },
    http: { addr: `127.0.0.1:${place.registryPort}` },
  };
}

/** Lets the node pull from a registry on this host over plain HTTP. */
export function trustRegistry(place: NodePlace, host: string): void {
  const directory = join(place.directory, 'registries', host);
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, 'hosts.toml'),
    `server = "http://${host}"\n[host."http://${host}"]\n  capabilities = ["pull", "resolve"]\n`,
  );
}
