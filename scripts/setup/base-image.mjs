/**
 * A stand-in for `node:<version>-bookworm-slim` where no registry can be pulled from: Debian from
 * its mirror, Node from npm.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withHeartbeat } from './progress.mjs';
import { run, which } from './run.mjs';

const suite = 'bookworm';
const npmVersion = '10.9.9';
/** Certificates that this machine's administrator added: what a build fetches goes the same way. */
const addedCertificates = '/usr/local/share/ca-certificates';

/** Why it cannot be made here; null when it can. */
export function problemOfBaseImage() {
  if (process.platform !== 'linux' || process.getuid() !== 0) {
    return 'not root on Linux';
  }
  return which('debootstrap') === null ? 'debootstrap is not installed' : null;
}

/**
 * Makes it under `name`, with Node of `version`. `runEngine` runs a command of the container
 * engine; `work` is a free path.
 */
export async function makeBaseImage({ name, version, work, environment, runEngine }) {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const tree = join(work, 'tree');
  const options = { env: { ...environment, DEBIAN_FRONTEND: 'noninteractive' } };
  try {
    await withHeartbeat('making a base image of Debian and Node', async () => {
      await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', suite, tree], options);
      await addNode(tree, version, work, options);
      await addCertificates(tree, options);
      const archive = join(work, 'tree.tar');
      const left = ['./var/cache/apt/archives/*', './var/lib/apt/lists/*', './dev/*', './proc/*', './sys/*'];
      await run('tar', ['-C', tree, '-cf', archive, ...left.map((path) => `--exclude=${path}`), '.']);
      await runEngine([
        'import',
        ...['--change', 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
        ...['--change', 'CMD ["node"]', archive, name],
      ]);
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function addNode(tree, version, work, options) {
  const packages = join(work, 'packages');
  mkdirSync(packages);
  const distribution = `node-linux-${process.arch}`;
  await run(
    'npm',
    ['install', '--ignore-scripts', '--prefix', packages, '--no-save', `${distribution}@${version}`],
    options,
  );
  cpSync(join(packages, 'node_modules', distribution, 'bin/node'), join(tree, 'usr/local/bin/node'));
  await run(
    'npm',
    ['install', '--ignore-scripts', '--global', '--prefix', join(tree, 'usr/local'), `npm@${npmVersion}`],
    options,
  );
}

async function addCertificates(tree, options) {
  const added = existsSync(addedCertificates)
    ? readdirSync(addedCertificates).filter((name) => name.endsWith('.crt'))
    : [];
  for (const name of added) {
    cpSync(join(addedCertificates, name), join(tree, addedCertificates, name));
  }
  await run('chroot', [tree, 'update-ca-certificates'], options);
  const bundle = '/etc/ssl/certs/ca-certificates.crt';
  // npm and pip bring certificates of their own, and know none of this machine's.
  await run('sh', [
    '-c',
    `mkdir -p "$1/usr/local/etc" && echo "cafile=${bundle}" > "$1/usr/local/etc/npmrc" && printf '[global]\\ncert = ${bundle}\\n' > "$1/etc/pip.conf"`,
    'sh',
    tree,
  ]);
}
