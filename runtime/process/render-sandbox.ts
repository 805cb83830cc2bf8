/**
 * Pure: the arguments that bubblewrap makes one container from. An allow-list: what is
 * not listed is invisible.
 */
import { join } from 'node:path';
import type { Network } from '../workload.ts';
import { containerPaths, type PlannedContainer } from '../workload-plan/workload-plan.ts';
import { acpPackagesOf, nodePrefixInside, type Programs, sessionFiles } from './layout.ts';

/** What of a container its sandbox is made of. */
export type SandboxedContainer = Pick<
  PlannedContainer,
  'name' | 'role' | 'program' | 'uid' | 'network' | 'view'
>;

/** Top-level directories that are links into /usr on this machine, such as `/bin`; others are mounted. */
export interface SystemRoot {
  links: Readonly<Record<string, string>>;
  directories: readonly string[];
  /** Directories below /usr that hold configuration, such as npm's with its tokens: they are seen empty. */
  hidden: readonly string[];
  /**
   * Files of /proc about the machine rather than the container, such as its users' key rings: masked by a
   * device, which cannot be opened there.
   */
  hiddenFiles: readonly string[];
}

const isolation = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--disable-userns',
  '--new-session',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
  '--clearenv',
];

/** A container with `internet` is started in its own, already connected network namespace. */
const networkIsolation: Record<Network, string[]> = { none: ['--unshare-net'], internet: [] };

/**
 * What programs need of /etc: public certificates, the linker's cache, time zone, Debian's command
 * links. Never a directory with private keys: when root started the platform, the container's user
 * may read what root owns.
 */
const systemConfiguration = [
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/openssl.cnf',
  '/etc/pki/ca-trust/extracted',
  '/etc/crypto-policies',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/alternatives',
];

/** Path of the operator's own CA certificates in a sandbox. */
export const caFileInside = '/etc/ssl/operator-ca.pem';
const mebibyte = 1024 * 1024;
const generatedFiles = ['passwd', 'group', 'hosts', 'nsswitch.conf', 'resolv.conf'];

/** Everything but the environment and the command. Holds no secret. */
export function renderSandbox(
  container: SandboxedContainer,
  {
    directory,
    programs,
    root,
    isRelayed = false,
    workspaceBytes,
    caFile = null,
    packages = [],
  }: {
    directory: string;
    programs: Programs;
    root: SystemRoot;
    /** The relay is its parent, as of every server and sibling. */
    isRelayed?: boolean;
    workspaceBytes: number;
    /** The operator's own CA certificates, on this machine. */
    caFile?: string | null;
    /** Arguments that mount packages into the sandbox. */
    packages?: readonly string[];
  },
): string[] {
  return [
    ...isolation,
    ...(isFirstProcess(container, programs, isRelayed) ? ['--as-pid-1'] : []),
    ...networkIsolation[container.network],
    ...['--uid', String(container.uid), '--gid', String(container.uid), '--hostname', container.name],
    ...['--proc', '/proc'],
    ...root.hiddenFiles.flatMap((path) => readOnly('/dev/null', path)),
    ...['--remount-ro', '/proc', '--dev', '/dev'],
    ...inMemory('/dev/shm', 64 * mebibyte),
    ...['--remount-ro', '/dev'],
    ...inMemory('/tmp', 256 * mebibyte),
    ...readOnly('/usr', '/usr'),
    ...root.hidden.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...root.directories.flatMap((path) => readOnly(path, path)),
    ...Object.entries(root.links).flatMap(([path, target]) => ['--symlink', target, path]),
    ...systemConfiguration.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(caFile === null ? [] : readOnly(caFile, caFileInside)),
    ...generatedFiles.flatMap((file) => readOnly(join(sessionFiles(directory).etc, file), `/etc/${file}`)),
    ...programMounts(container, directory, programs),
    // Its own sockets; it may only connect to them.
    ...readOnly(join(directory, container.view.directory), container.view.path),
    ...packages,
    ...inMemory(containerPaths.workspace, workspaceBytes),
    ...['--chdir', containerPaths.workspace, '--remount-ro', '/'],
  ];
}

/**
 * The static relay ends all that its program left behind, which only the first process
 * can do at once, and reaps.
 */
const isFirstProcess = ({ role }: SandboxedContainer, { relay }: Programs, isRelayed: boolean) =>
  (role === 'server' || role === 'sibling' || isRelayed) && relay !== null;

function programMounts({ program }: SandboxedContainer, directory: string, programs: Programs): string[] {
  const dist = (file: string) => readOnly(join(programs.directory, file), `/opt/platform/${file}`);
  return [
    ...nodeMounts(programs.nodePrefix),
    ...readOnly(programs.relay ?? sessionFiles(directory).relay, containerPaths.relay),
    ...(programs.relay === null ? dist('relay.js') : []),
    ...(program.type === 'scripted' ? dist('scripted-agent.js') : []),
    ...(program.type === 'claude' ? [...dist('claude-agent.js'), ...claudePackages(programs)] : []),
    ...(program.type === 'acp' ? [...dist('acp-agent.js'), ...acpPackages(programs)] : []),
    ...(program.type === 'remote' ? dist('remote-bridge.js') : []),
    ...(program.type === 'model' ? dist('model-program.js') : []),
    ...(['command', 'acp'].includes(program.type) ? readOnly(programs.runner, '/opt/runner') : []),
  ];
}

/** Beside the program that loads them. */
const claudePackages = ({ claude }: Programs): string[] =>
  claude === null ? [] : readOnly(join(claude, 'node_modules'), '/opt/platform/node_modules');

const acpPackages = (programs: Programs): string[] => [
  ...['--ro-bind-try', acpPackagesOf(programs), '/opt/agent'],
];

/**
 * Node and npm from outside /usr, and nothing next to them: the installation may be in
 * a user's home directory.
 */
function nodeMounts(prefix: string): string[] {
  const inside = nodePrefixInside(prefix);
  if (inside === prefix) {
    return [];
  }
  const npm = 'lib/node_modules/npm';
  return [
    ...readOnly(`${prefix}/bin/node`, `${inside}/bin/node`),
    ...['--ro-bind-try', `${prefix}/${npm}`, `${inside}/${npm}`],
    ...['npm', 'npx'].flatMap((name) => [
      '--symlink',
      `../${npm}/bin/${name}-cli.js`,
      `${inside}/bin/${name}`,
    ]),
  ];
}

/** Bounded: its content uses the machine's memory. */
export function inMemory(path: string, sizeBytes: number): string[] {
  return ['--size', String(sizeBytes), '--tmpfs', path];
}

export function readOnly(from: string, to: string): string[] {
  return ['--ro-bind', from, to];
}
