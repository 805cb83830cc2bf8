/** Bundles each program of bin/ and the Temporal workflows into dist/ (docs/decisions/0001). */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** These run from node_modules: some of their packages are native. */
const withPackages = ['start', 'api', 'worker', 'migrate'];
/** These carry their packages inside: a sandbox sees the one file. */
const selfContained = ['sidecar', 'relay', 'scripted-agent', 'session-host'];
const sources = [
  'activities',
  'agents',
  'api',
  'bin',
  'config',
  'contract',
  'embedded',
  'migrations',
  'runtime',
  'sidecar',
  'store',
  'workflows',
];

/** Builds when a source changed since the last build. Each file is replaced in one step, so that a running platform never sees half of one. */
export async function build(root) {
  const dist = join(root, 'dist');
  const stampFile = join(dist, 'sources.sha256');
  const stamp = hashOfSources(root);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    return undefined;
  }
  const work = join(root, `.cache/build-${process.pid}`);
  try {
    await Promise.all([bundlePrograms(root, work), bundleWorkflows(root, work)]);
    mkdirSync(dist, { recursive: true });
    rmSync(stampFile, { force: true });
    for (const file of readdirSync(work)) {
      renameSync(join(work, file), join(dist, file));
    }
    writeFileSync(stampFile, stamp);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return 'done';
}

async function bundlePrograms(root, outdir) {
  const { build: bundle } = await import('esbuild');
  const common = {
    outdir,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  };
  const entries = (names) => names.map((name) => `bin/${name}.ts`);
  await bundle({ ...common, entryPoints: entries(withPackages), packages: 'external' });
  await bundle({
    ...common,
    entryPoints: entries(selfContained),
    // CommonJS packages inside an ES module still call require for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
}

async function bundleWorkflows(root, outdir) {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn: console.warn, error: console.error };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows/index.ts'),
    logger: quiet,
  });
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, 'workflows.js'), code);
}

function hashOfSources(root) {
  const files = sources.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const hash = createHash('sha256');
  for (const file of [...files, join(root, 'package-lock.json'), fileURLToPath(import.meta.url)].sort()) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log((await build(fileURLToPath(new URL('..', import.meta.url)))) ?? 'nothing changed');
}
