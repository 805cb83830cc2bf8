/** Programs that npm cannot bring: the sandbox and its network, and what tests are run with. */
import { readFileSync } from 'node:fs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { run, which } from './run.mjs';

const containers = ['engine', 'cluster', 'acp'];
const keycloakCost = 'the tests that sign in at authorization servers of others are left out';
/**
 * By program: the Debian package, the programs that also do, what its absence costs, and the tiers of tests
 * that need it: where none are named, `npm start` and all.
 */
const programs = {
  bwrap: {
    package: 'bubblewrap',
    cost: 'sessions run without a sandbox: only scripted agents and the MCP servers that come with the platform',
  },
  slirp4netns: {
    package: 'slirp4netns',
    cost: 'MCP servers and agents that ask for the internet get no network',
  },
  socat: { package: 'socat', cost: 'the tests that use socat as a relay are left out', tiers: ['services'] },
  'musl-gcc': {
    package: 'musl-tools',
    cost: 'the tests of the static relay are left out where no other C compiler is',
    tiers: ['services', 'engine', 'cluster'],
  },
  ip: { package: 'iproute2', cost: 'MCP servers and agents that ask for the internet get no network' },
  'docker-registry': {
    package: 'docker-registry',
    cost: 'the tests that read images from a real registry are left out',
    tiers: ['services', 'engine', 'cluster'],
  },
  podman: {
    package: 'podman',
    cost: 'images are not built and containers are not tested where no other engine runs',
    tiers: containers,
  },
  // The crun that comes with podman starts nothing where cgroups v1 and v2 are both mounted.
  runc: {
    package: 'runc',
    cost: 'no container starts on machines with both versions of cgroups',
    tiers: containers,
  },
  // Podman's own network stack, which Debian only recommends. Without it podman uses CNI, whose internal
  // networks have no gateway.
  '/usr/lib/podman/netavark': {
    package: 'netavark',
    cost: 'podman gives containers no network that is restricted',
    tiers: containers,
  },
  // What netavark makes its networks with; its package does not bring it.
  iptables: {
    package: 'iptables',
    cost: 'podman starts no container with a network',
    tiers: containers,
  },
  '/usr/lib/podman/aardvark-dns': {
    package: 'aardvark-dns',
    cost: "podman's containers find no others by name",
    tiers: containers,
  },
  // Its package starts a daemon on machines with systemd, which is acceptable on CI machines only.
  dockerd: {
    package: 'docker.io',
    cost: 'containers are not tested on a Docker Engine beside podman',
    tiers: ['engine'],
    onlyInCi: true,
  },
  '/usr/lib/postgresql/15/bin/postgres': {
    package: 'postgresql-15',
    cost: 'the oldest Postgres that is supported is not tested',
    tiers: ['services'],
    onlyInCi: true,
  },
  mvn: { package: 'maven', cost: keycloakCost, tiers: ['sign-in'] },
  java: { package: 'default-jre-headless', cost: keycloakCost, tiers: ['sign-in'] },
  debootstrap: {
    package: 'debootstrap',
    cost: 'images are built only where their base can be pulled',
    tiers: containers,
  },
  ...Object.fromEntries(
    [
      ['etcd', 'etcd-server'],
      ['containerd', 'containerd'],
      ['/usr/lib/cni/bridge', 'containernetworking-plugins'],
      ['iptables', 'iptables'],
      ['openssl', 'openssl'],
    ].map(([program, name]) => [
      program,
      { package: name, cost: 'no Kubernetes cluster is started for tests', tiers: ['cluster'] },
    ]),
  ),
  'chromium-headless-shell': {
    package: 'chromium-headless-shell',
    instead: ['chromium', 'chromium-browser', 'google-chrome'],
    cost: 'the tests of the web UI are left out',
    tiers: ['platform', 'engine'],
  },
};

function missingPrograms() {
  const isMissing = (program) =>
    [program, ...(programs[program].instead ?? [])].every((name) => which(name) === null);
  return Object.keys(programs).filter(isMissing);
}

/** For the end of `npm test`: what is missing, and how to install it. */
export function describeMissingPrograms() {
  return missingPrograms().map((program) => {
    const when = programs[program].onlyInCi ? ' where CI is set' : '';
    return `${program} is not installed; npm test installs it as root on Debian and Ubuntu${when}.`;
  });
}

/** Those that the tests of these tiers install by themselves. */
const missingForTests = (environment, tiers) =>
  missingPrograms().filter(
    (program) =>
      (environment.CI || !programs[program].onlyInCi) &&
      (programs[program].tiers ?? tiers).some((tier) => tiers.includes(tier)),
  );

/** For `npm start`: names what is missing, what that costs and how to install it. Changes nothing. */
export function nameMissingPrograms() {
  const missing = missingPrograms().filter((program) => programs[program].tiers === undefined);
  if (missing.length === 0) {
    return;
  }
  console.log('\n  Not installed:');
  for (const program of missing) {
    console.log(`    ${programs[program].package}: without it ${programs[program].cost}.`);
  }
  console.log(`  On Debian and Ubuntu: ${installCommand(missing)}\n`);
}

/**
 * For `npm test`: installs what the tests of these tiers need where that is possible. In
 * CI, nothing may be missing.
 */
export async function installSystemPackages(environment, tiers) {
  const missing = missingForTests(environment, tiers);
  if (missing.length === 0) {
    return undefined;
  }
  const why = reasonNotToInstall(environment);
  if (why === null) {
    const names = missing.map((program) => programs[program].package);
    const options = { env: { ...environment, DEBIAN_FRONTEND: 'noninteractive' } };
    await withHeartbeat(`installing ${names.join(', ')}`, async () => {
      await run('apt-get', ['update', '-q'], options);
      await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...names], options);
    });
    return `installed ${names.join(', ')}`;
  }
  const text = `${missing.join(', ')} not installed (${why}); install with: ${installCommand(missing)}`;
  if (environment.CI) {
    throw new SetupError(`${text}\nCI leaves no test out.`);
  }
  return `${text}. The tests that need them are left out`;
}

function reasonNotToInstall(environment) {
  if (['1', 'true'].includes(environment.PLATFORM_NO_SYSTEM_PACKAGES)) {
    return 'PLATFORM_NO_SYSTEM_PACKAGES is set';
  }
  if (process.getuid() !== 0) {
    return 'not root';
  }
  return isDebian() && which('apt-get') !== null ? null : 'not Debian or Ubuntu';
}

function isDebian() {
  try {
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

function installCommand(missing) {
  return `sudo apt-get install -y ${missing.map((program) => programs[program].package).join(' ')}`;
}
