/**
 * The programs of the one-node Kubernetes cluster that tests start (test/support/kubernetes), built with Go.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { onceOnThisMachine } from './lock.mjs';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { runGo, which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

/** Later ones refuse cgroup v1, which some machines still have. */
const version = '1.34.4';
const names = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'];
/** What runs beside them; scripts/setup/system-packages.mjs installs these. */
const neighbours = [
  'etcd',
  'containerd',
  'runc',
  'docker-registry',
  'iptables',
  'ip',
  'openssl',
  '/usr/lib/cni/bridge',
];

/** Writes .cache/kubernetes.json: the programs' directory, or null where a cluster cannot be started. */
export async function provideKubernetes(root, environment) {
  const directory = machineCache(environment, `kubernetes-${version}`);
  // A cluster that KUBECONFIG names replaces the one that tests start.
  const problem = environment.KUBECONFIG ? null : problemHere(directory);
  if (problem !== null && environment.CI) {
    throw new SetupError(`A Kubernetes cluster for tests: ${problem}\nCI leaves no test out.`);
  }
  const wanted = !environment.KUBECONFIG && problem === null;
  const isBuilt = () => existsSync(join(directory, 'complete'));
  const built =
    wanted && (await onceOnThisMachine(directory, isBuilt, () => build(root, directory, environment)));
  writeWhole(
    join(root, '.cache/kubernetes.json'),
    JSON.stringify({ programs: wanted ? directory : null, problem }),
  );
  if (environment.KUBECONFIG) {
    return 'tests that kill parts of a cluster, have it trust a registry or reach its Pods from here are left out with KUBECONFIG';
  }
  return problem === null ? built || undefined : `left out (${problem})`;
}

function problemHere(directory) {
  if (process.platform !== 'linux' || process.getuid() !== 0) {
    return 'a node needs Linux and root; name a cluster with KUBECONFIG';
  }
  const missing = neighbours.filter((program) => which(program) === null);
  if (missing.length > 0) {
    return `${missing.join(', ')} not installed`;
  }
  return existsSync(join(directory, 'complete')) || which('go') !== null ? null : 'Go is not installed';
}

async function build(root, directory, environment) {
  console.log(`  Kubernetes ${version} is built with Go. This happens once and takes several minutes.`);
  const work = `${directory}-${process.pid}`;
  mkdirSync(join(work, 'bin'), { recursive: true });
  mkdirSync(join(work, 'pause'));
  copyFileSync(join(root, 'test/support/kubernetes/pause.go'), join(work, 'pause/pause.go'));
  try {
    await withHeartbeat('building Kubernetes', async () => {
      await writeModule(work, environment);
      const packages = ['./pause', ...names.map((name) => `k8s.io/kubernetes/cmd/${name}`)];
      const flags = ['-mod=mod', '-trimpath', '-ldflags', `-s -w ${versionFlags()}`];
      await runGo(['build', ...flags, '-o', 'bin/', ...packages], {
        cwd: work,
        // A compiler that may use more memory needs a tenth less time.
        env: { ...environment, CGO_ENABLED: '0', GOGC: '400' },
      });
    });
    writeFileSync(join(work, 'bin/complete'), '');
    rmSync(directory, { recursive: true, force: true });
    renameSync(join(work, 'bin'), directory);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return 'built';
}

/**
 * Writes a module that requires Kubernetes. Its own parts have no version there, so each is
 * pinned to that of the release.
 */
async function writeModule(work, environment) {
  const options = { cwd: work, env: environment };
  const { GoMod: file } = JSON.parse(
    await runGo(['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`], options),
  );
  const text = readFileSync(file, 'utf8');
  const parts = new Set([...text.matchAll(/^\s*(\S+) v0\.0\.0$/gm)].map(([, name]) => name));
  const lines = [
    'module one-node-kubernetes',
    /^go .*$/m.exec(text)[0],
    `require k8s.io/kubernetes v${version}`,
    ...[...parts].map((name) => `replace ${name} => ${name} v0.${version.slice(2)}`),
  ];
  writeFileSync(join(work, 'go.mod'), `${lines.join('\n')}\n`);
}

/** The version that the programs report; without it they report v0.0.0 and refuse to talk to each other. */
function versionFlags() {
  const [major, minor] = version.split('.');
  const values = {
    gitVersion: `v${version}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: '0000000',
    buildDate: '2026-01-01T00:00:00Z',
  };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}
