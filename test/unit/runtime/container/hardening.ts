/**
 * The rules for a session's containers on an engine, derived from docs/runtimes.md, not from the renderer.
 */
import type {
  ContainerPlan,
  EngineSettings,
  SessionPlan,
} from '../../../../runtime/container/container-plan.ts';

const labels = ['installation', 'session', 'container'].map((key) => `gatepost.internal/${key}`);

/** Every rule that is broken, as `<container>: <rule>`. */
export function violations(plan: SessionPlan, settings: EngineSettings): string[] {
  const containers = [plan.sidecar, ...plan.waves.flat()];
  const prefix = `${settings.installation}-${plan.sessionId}`;
  return [
    ...containers.flatMap((container) => [
      ...ofEach(container),
      ...ofMounts(container, prefix),
      ...ofNetwork(container, settings, prefix),
    ]),
    ...ofUsers(containers),
    ...ofViews(containers),
  ];
}

const broken = (container: string, rules: Record<string, boolean>): string[] =>
  Object.entries(rules)
    .filter(([, kept]) => !kept)
    .map(([rule]) => `${container}: ${rule}`);

const isHolder = ({ spec }: ContainerPlan) => spec === null;
const isSidecar = ({ name }: ContainerPlan) => name === 'sidecar';
const equal = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const knownHostFields =
  /^(NetworkMode|Dns|DnsOptions|ExtraHosts|ReadonlyRootfs|Privileged|CapDrop|CapAdd|SecurityOpt|GroupAdd|IpcMode|PublishAllPorts|Memory|MemorySwap|NanoCpus|PidsLimit|OomScoreAdj|LogConfig|RestartPolicy|AutoRemove|Init|Binds)$/;

function ofEach(container: ContainerPlan): string[] {
  const { body, name } = container;
  const host = body.HostConfig;
  return broken(name, {
    'read-only root': host.ReadonlyRootfs === true && host.Privileged === false,
    'no capability':
      equal(host.CapDrop, ['ALL']) && equal(host.CapAdd, isHolder(container) ? ['NET_ADMIN'] : []),
    'no new privileges, and the default seccomp profile': equal(host.SecurityOpt, ['no-new-privileges']),
    'not root': isHolder(container) || /^[1-9]\d{4}:[1-9]\d{4}$/.test(body.User),
    'the shared group only': equal(host.GroupAdd, isHolder(container) ? [] : ['10000']),
    'limited memory, no swap': host.Memory > 0 && host.MemorySwap === host.Memory,
    'limited processor and processes': host.NanoCpus > 0 && host.PidsLimit > 0 && host.PidsLimit <= 4096,
    'limited log': host.LogConfig.Type === 'json-file' && /^\d+m$/.test(host.LogConfig.Config['max-size']),
    'never restarted by the engine': host.RestartPolicy.Name === 'no' && host.AutoRemove === false,
    'nothing published': host.PublishAllPorts === false && !('ExposedPorts' in body),
    'private IPC, and no field beside those':
      host.IpcMode === 'private' && Object.keys(host).every((field) => knownHostFields.test(field)),
    'ends before the machine does': host.OomScoreAdj > 0,
    'the relay first, asked to end in order':
      body.Entrypoint[0] === '/opt/platform/bin/relay' &&
      host.Init === false &&
      body.StopSignal === 'SIGTERM',
    'no health check of the image’s': equal(body.Healthcheck, { Test: ['NONE'] }),
    labelled: labels.every((label) => Boolean(body.Labels[label])),
  });
}

/** The binds, parsed as the engine does. */
function bindsOf({ body }: ContainerPlan) {
  return body.HostConfig.Binds.map((text) => {
    const [source = '', target = '', options = ''] = text.split(':');
    return { source, target, options: new Set(options.split(',')) };
  });
}

function ofMounts(container: ContainerPlan, prefix: string): string[] {
  const mounts = bindsOf(container);
  const isScratch = (target: string) => container.spec?.scratch.some(({ path }) => path === target) ?? false;
  const ownScratch = `${prefix}.scratch.${container.name}.`;
  return broken(container.name, {
    'volumes of its own session only': mounts.every(
      ({ source }) => source.startsWith(`${prefix}.`) && !source.includes('/'),
    ),
    'each path once': new Set(mounts.map(({ target }) => target)).size === mounts.length,
    'nothing writable but its own scratch':
      isSidecar(container) ||
      mounts.every(
        ({ source, target, options }) =>
          options.has('ro') || (source.startsWith(ownScratch) && isScratch(target)),
      ),
    'nothing of its image in a volume':
      isSidecar(container) || mounts.every(({ options }) => options.has('nocopy')),
    'boot file and spool are the sidecar’s alone':
      isSidecar(container) ||
      mounts.every(({ source }) => source !== `${prefix}.boot` && source !== `${prefix}.session`),
    'a holder sees nothing': !isHolder(container) || mounts.length === 0,
  });
}

function ofNetwork(container: ContainerPlan, settings: EngineSettings, prefix: string): string[] {
  const mode = container.body.HostConfig.NetworkMode;
  const allowed = isSidecar(container)
    ? mode === settings.platformNetwork
    : isHolder(container)
      ? mode === settings.internetNetwork
      : mode === 'none' ||
        mode === `container:${prefix}-agent` ||
        mode.startsWith(`container:${prefix}-net-`);
  const { opens, body } = container;
  const hasOpenings = body.Entrypoint.includes('--open') || body.HostConfig.ExtraHosts !== undefined;
  return broken(container.name, {
    'a network that is meant for it': allowed,
    'opened for whom something is listed': !hasOpenings || (isHolder(container) && opens !== null),
  });
}

function ofUsers(containers: ContainerPlan[]): string[] {
  const users = containers.filter((each) => !isHolder(each)).map(({ body }) => body.User);
  return broken('the session', { 'a user for each': new Set(users).size === users.length });
}

/** Except for the relay's, at most one container and the sidecar see a volume. */
function ofViews(containers: ContainerPlan[]): string[] {
  const sources = containers
    .filter((each) => !isSidecar(each))
    .flatMap((each) => bindsOf(each).map(({ source }) => source))
    .filter((source) => !source.endsWith('.bin'));
  return broken('the session', { 'views are shared by nobody': new Set(sources).size === sources.length });
}
