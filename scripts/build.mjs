/** Bundles each program of bin/, the Temporal workflows and the web UI into dist/ (docs/decisions/0001). */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

/** These run from node_modules: some of their packages are native. */
const withPackages = [
  'start',
  'api',
  'worker',
  'migrate',
  'reencrypt-secrets',
  'move-person',
  'make-admin',
  'remove-workspace',
  'seed-demo',
];
/** These bundle their packages: a sandbox sees the one file. */
const selfContained = [
  'sidecar',
  'relay',
  'remote-bridge',
  'model-program',
  'scripted-agent',
  'claude-agent',
  'acp-agent',
  'session-host',
  'fill-packages',
  'repository',
];
const sources = [
  'activities',
  'agents',
  'api',
  'bin',
  'commands',
  'config',
  'contract',
  'migrations',
  'lib',
  'relay/model',
  'relay/node',
  'relay/remote',
  'runtime',
  'sidecar',
  'store',
  'workflows',
];

/** The web UI's own; it also reads contract/, and serves pages of docs/ (web/src/app/help.ts). */
const webSources = ['web', 'contract', 'docs'];

/**
 * Builds what changed since the last build. Each file is replaced in one step, so that a running
 * platform never sees half of one.
 */
export async function build(root) {
  const built = await Promise.all([
    buildWhenChanged(root, 'sources', sources, (work) =>
      Promise.all([bundlePrograms(root, work), bundleWorkflows(root, work)]),
    ),
    buildWhenChanged(root, 'web', webSources, (work) => bundleWeb(root, join(work, 'web'))),
  ]);
  return built.includes(true) ? 'done' : undefined;
}

/** `make` fills a work folder, whose entries then replace those of dist/. True when it was called. */
async function buildWhenChanged(root, name, folders, make) {
  const dist = join(root, 'dist');
  const stampFile = join(dist, `${name}.sha256`);
  const stamp = hashOfSources(root, folders);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    return false;
  }
  const work = join(root, `.cache/build-${name}-${process.pid}`);
  try {
    await make(work);
    mkdirSync(dist, { recursive: true });
    rmSync(stampFile, { force: true });
    for (const entry of readdirSync(work, { withFileTypes: true })) {
      const target = join(dist, entry.name);
      if (entry.isDirectory()) {
        // A rename does not replace a non-empty folder; the API has already read all of its own.
        rmSync(target, { recursive: true, force: true });
      }
      renameSync(join(work, entry.name), target);
    }
    writeFileSync(stampFile, stamp);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return true;
}

async function bundleWeb(root, outDir) {
  const { build: bundle } = await import('vite');
  await bundle({
    configFile: join(root, 'web/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir },
  });
  compressAssets(join(outDir, '_assets'));
}

/** Puts each text beside itself as Brotli makes it smallest, which takes too long when it is asked for. */
function compressAssets(directory) {
  for (const name of readdirSync(directory).filter((file) => /\.(js|css|svg)$/.test(file))) {
    const content = readFileSync(join(directory, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(directory, `${name}.br`), brotliCompressSync(content, { params }));
  }
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
    entryPoints: { 'pattern-thread': 'lib/patterns/pattern-thread.mjs' },
    packages: 'external',
    outExtension: { '.js': '.mjs' },
  });
  await bundle({
    ...common,
    entryPoints: entries(selfContained),
    alias: {
      '@modelcontextprotocol/server/_shims': join(root, 'sidecar/platform-tools/sdk-shims.ts'),
      '@modelcontextprotocol/client/_shims': join(root, 'relay/remote/sdk-shims.ts'),
    },
    // Each of them holds its own text in memory; names and lines stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
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

function hashOfSources(root, folders) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
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
